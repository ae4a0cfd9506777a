/** Values by name: one as it is, several as a list. */

export class Gathered {
  object = Object.create(null);
  #lists = new Set();

  add(name, value) {
    if (!(name in this.object)) this.object[name] = value;
    else if (this.#lists.has(name)) this.object[name].push(value);
    else {
      this.object[name] = [this.object[name], value];
      this.#lists.add(name);
    }
  }
}
