/**
 * Documents of numbered cases: which tests show each, and what they saw. A test belongs to the cases that its title begins
 * with.
 */

/**
 * @typedef {{ file: string, name: string, ok: boolean }} TestResult
 *
 * @typedef {object} MoreOfCase
 * @property {string} [unit] the unit test that shows it (`crate › function`), where no end-to-end test does
 * @property {string} [because] why no test shows it
 * @property {string} [missing] the part that no test shows
 * @property {string} [measured] the part that a benchmark measures, because tests are not timed
 * @property {string} [by] the command that measures it, if that is not the benchmark of the suite
 *
 * @typedef {object} CaseSuite
 * @property {string} file the document
 * @property {string} command that writes it
 * @property {string} data the file with the cases
 * @property {RegExp} title what the titles of tests begin with; its group has the numbers
 * @property {RegExp} [unitName] the same of the names of unit tests
 * @property {string} [benchmark] the command that measures parts of cases
 * @property {Record<string, Record<number, [text: string, more?: MoreOfCase]>>} cases by section and number: what must hold
 *
 * @typedef {{ crate: string, name: string }} UnitTest
 */

/** The results of a run, by the cases of a suite. */
export class CaseResults {
  /** @type {Map<number, TestResult[]>} */
  #tests = new Map();
  /** @type {Map<number, UnitTest[]>} */
  #units = new Map();
  #suite;
  #isUnitTest;
  #all;

  /**
   * @param {CaseSuite} suite
   * @param {TestResult[]} results
   * @param {UnitTest[]} units all unit tests of the crates
   */
  constructor(suite, results, units) {
    this.#suite = suite;
    this.#all = Object.values(suite.cases).flatMap((cases) => Object.entries(cases)).map(([number, [text, more = {}]]) => ({ number: Number(number), text, more }));
    this.#isUnitTest = (unit) => units.some(({ crate, name }) => unit === `${crate} › ${name}`);
    for (const result of results) for (const number of numbersIn(suite.title, result.name)) add(this.#tests, number, result);
    if (suite.unitName) for (const unit of units) for (const number of numbersIn(suite.unitName, unit.name)) add(this.#units, number, unit);
  }

  /**
   * What is wrong: a test that failed or of an unknown case, a case without a test, with a test and an excuse, with a unit
   * test that is gone.
   */
  get problems() {
    const known = new Set(this.#all.map(({ number }) => number));
    const wrong = [...this.#tests.keys(), ...this.#units.keys()].filter((number) => !known.has(number)).map((number) => `case ${number} is not in ${this.#suite.data}`);
    for (const { number, more: { unit, because } } of this.#all) {
      if (!this.#isShown(number) && !unit && !because) wrong.push(`case ${number} has no test`);
      if (this.#isShown(number) && because) wrong.push(`case ${number} has a test now: take "because" out of ${this.#suite.data}`);
      if (unit && !this.#isUnitTest(unit)) wrong.push(`case ${number}: there is no unit test ${unit}`);
    }
    const failed = [...new Set([...this.#tests.values()].flat())].filter(({ ok }) => !ok);
    return [...wrong, ...failed.map(({ file, name }) => `${file}: ${name} failed`)];
  }

  #isShown(number) {
    return this.#tests.has(number) || this.#units.has(number);
  }

  /** The document's counts and tables. */
  get tables() {
    const tests = [...new Set([...this.#tests.values()].flat())];
    const byUnits = this.#all.filter(({ number, more: { unit } }) => !this.#tests.has(number) && (unit || this.#units.has(number)));
    const open = this.#all.filter(({ number, more: { unit } }) => !this.#isShown(number) && !unit);
    const parts = this.#all.filter(({ more: { missing } }) => missing);
    const counts = `${this.#all.length} cases: ${this.#tests.size} shown by ${tests.length} end-to-end tests, of which ${tests.filter(({ ok }) => ok).length} passed; ${byUnits.length} by unit tests alone; ${open.length} without a test, ${parts.length} in part.`;
    const without = open.map(({ number, text, more: { because } }) => `- **${number}**, ${text}${because ? `: ${because}` : ''}.`);
    without.push(...parts.map(({ number, text, more: { missing } }) => `- of **${number}**, ${text}: ${missing}.`));
    const sections = Object.entries(this.#suite.cases).map(([title, cases]) => {
      const rows = this.#all.filter(({ number }) => number in cases).map((one) => this.#row(one));
      return `## ${title}\n\n| case | what | tests, and what they saw |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
    });
    return [counts, ...(without.length > 0 ? [`Without a test, or a part of them:\n\n${without.join('\n')}`] : []), ...sections].join('\n\n').replaceAll('\n\n\n', '\n\n');
  }

  #row({ number, text, more: { unit, because, missing, measured, by = this.#suite.benchmark } }) {
    const tests = this.#tests.get(number);
    const [crate, name] = unit?.split(' › ') ?? [];
    const units = [...(unit ? [{ crate, name }] : []), ...(this.#units.get(number) ?? [])];
    const shown = [tests && this.#seen(tests), ...unitCells(units), measured && `${measured}: \`${by}\``, missing && `not shown: ${missing}`].filter(Boolean);
    return `| ${number} | ${this.#cell(text)} | ${shown.join('<br>') || (because ? `no test: ${because}` : 'not shown')} |`;
  }

  /** The tests of a case as a cell: file by file, with what each saw. */
  #seen(results) {
    const files = [...new Set(results.map(({ file }) => file))].sort();
    return files
      .map((file) => {
        const own = results.filter((result) => result.file === file);
        return `\`${file}\`: ${own.map(({ name, ok }) => `${ok ? '✓' : '✗'} ${this.#cell(name)}`).join('; ')}`;
      })
      .join('<br>');
  }

  #cell(text) {
    return text.replaceAll('|', '\\|').replace(this.#suite.title, '');
  }
}

const numbersIn = (pattern, name) => (pattern.exec(name)?.[1] ?? '').split(/\D+/).filter(Boolean).map(Number);

const add = (map, number, one) => map.set(number, [...(map.get(number) ?? []), one]);

function unitCells(units) {
  const crates = [...new Set(units.map(({ crate }) => crate))].sort();
  return crates.map((crate) => {
    const names = units.filter((unit) => unit.crate === crate).map(({ name }) => `\`${name}\``).sort();
    return `unit test${names.length > 1 ? 's' : ''} of \`${crate}\`: ${names.join(', ')}`;
  });
}
