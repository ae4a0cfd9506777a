/** Pictures of a message: picked, pasted, dropped; made to fit; sent to models that see; kept with the chat. */

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { violations } from '../lib/axe.mjs';
import { withoutPage } from '../lib/page-mark.mjs';
import { testId } from '../lib/panel.mjs';
import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

describe('pictures', () => {
  /** @type {Stage} */
  let stage;
  let folder;
  before(async () => {
    stage = await Stage.set();
    folder = await mkdtemp(path.join(os.tmpdir(), 'pictures-'));
    await stage.use('echo');
    // A service that takes pictures.
    await stage.panel.fill('base-url', `${stage.model.url}/as/qwen/compatible-mode/v1`);
    await stage.panel.view('chat');
    await writeFile(path.join(folder, 'broken.png'), 'no picture');
  });
  after(async () => {
    await stage?.strike();
    if (folder) await rm(folder, { recursive: true });
  });

  const panel = () => stage.panel.page;
  /** A picture in the panel's own clipboard or drag, as a file. */
  const giveFile = (how, { width, height, type = 'image/png' }) =>
    panel().evaluate(
      async ({ how, width, height, type, input }) => {
        const canvas = new OffscreenCanvas(width, height);
        const context = canvas.getContext('2d');
        context.fillStyle = 'teal';
        context.fillRect(0, 0, width, height / 2);
        const data = new DataTransfer();
        data.items.add(new File([await canvas.convertToBlob({ type })], 'a.png', { type }));
        const target = document.querySelector(input);
        if (how === 'paste') target.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
        else for (const name of ['dragover', 'drop']) document.body.dispatchEvent(new DragEvent(name, { dataTransfer: data, bubbles: true, cancelable: true }));
      },
      { how, width, height, type, input: testId('composer-input') },
    );
  const draft = () => panel().$$eval(`${testId('draft-pictures')} img`, (all) => all.map((img) => [img.getAttribute('width'), img.getAttribute('height'), img.src.slice(0, 15)].join(' ')));
  const has = (count) => until(async () => (await draft()).length === count, { what: `${count} pictures in the draft` });
  const told = async () => (await stage.model.requests()).at(-1).body.messages.findLast(({ role }) => role === 'user').content;
  const begin = () => stage.begin(stage.site.url('empty.html'), { scenario: 'echo' });

  test('a pasted picture is shown, sent with the words, and stays with the chat', async () => {
    await begin();
    await giveFile('paste', { width: 40, height: 20 });
    await has(1);
    assert.deepEqual(await draft(), ['40 20 data:image/png;']);
    assert.deepEqual(await violations(panel()), []);
    await stage.panel.ask('What is this?');
    const [words, picture] = await told();
    assert.equal(withoutPage(words.text), 'What is this?');
    assert.match(picture.image_url.url, /^data:image\/png;base64,/);
    assert.deepEqual(await draft(), []);
    // It is read from disk again, and sent with the next message too.
    await panel().reload();
    await stage.panel.ready();
    await stage.panel.see('picture');
    await stage.panel.ask('And now?');
    const users = (await stage.model.requests()).at(-1).body.messages.filter(({ role }) => role === 'user');
    assert.equal(users[0].content.at(-1).image_url.url, picture.image_url.url);
    // Enlarged, and closed by Escape.
    await stage.panel.click('picture');
    await stage.panel.see('picture-enlarged');
    assert.deepEqual(await violations(panel()), []);
    await panel().keyboard.press('Escape');
    await stage.panel.gone('picture-enlarged');
  });

  test('a large one is made smaller, whichever way it comes', async () => {
    await begin();
    await giveFile('drop', { width: 4000, height: 1000 });
    await has(1);
    assert.match((await draft())[0], /^1568 392 /);
    await stage.panel.click('picture-remove');
    await has(0);
  });

  test('a file that is no picture is refused with the reason, and five are the most', async () => {
    await begin();
    const input = await panel().$(testId('picture-file'));
    await input.uploadFile(path.join(folder, 'broken.png'));
    await stage.panel.see('alert');
    assert.match(await stage.panel.text('alert'), /no picture that the browser can read/);
    for (let count = 1; count <= 5; count += 1) {
      await giveFile('paste', { width: 10 + count, height: 10 });
      await has(count);
    }
    await giveFile('paste', { width: 30, height: 10 });
    await until(async () => /At most 5 pictures/.test(await stage.panel.text('alert')), { what: 'the reason' });
    assert.equal((await draft()).length, 5);
    await stage.panel.click('alert-close');
    for (let left = 4; left >= 0; left -= 1) {
      await stage.panel.click('picture-remove');
      await has(left);
    }
  });

  test('an edited message has its pictures again', async () => {
    await begin();
    await giveFile('paste', { width: 40, height: 20 });
    await has(1);
    await stage.panel.ask('What is this?');
    await stage.panel.click('edit-message');
    await has(1);
    await stage.panel.write('And what is this?');
    await stage.panel.click('send');
    await until(async () => (await stage.model.requests()).length === 2, { what: 'the second request' });
    assert.match((await told()).at(-1).image_url.url, /^data:image\/png/);
    await stage.panel.rest();
  });

  test('for a model that reads text only, the panel says so before sending, and the model is told', async () => {
    await begin();
    await stage.panel.fill('model', 'deepseek-chat');
    await stage.panel.view('chat');
    await giveFile('paste', { width: 40, height: 20 });
    await has(1);
    assert.match(await stage.panel.text('pictures-unseen'), /deepseek-chat reads text only/);
    await stage.panel.click('picture-remove');
    await stage.panel.gone('pictures-unseen');
    await stage.panel.fill('model', 'echo');
    await stage.panel.view('chat');
  });

  test('a service that refuses pictures is sent the message without them, and the next time the panel knows', async () => {
    await begin();
    await stage.panel.fill('base-url', stage.model.url);
    await stage.panel.fill('model', 'echo');
    await stage.panel.view('chat');
    await giveFile('paste', { width: 40, height: 20 });
    await has(1);
    await stage.panel.ask('What is this?');
    assert.match(await told(), /A picture of the user was left out of the conversation/);
    await giveFile('paste', { width: 40, height: 20 });
    await stage.panel.see('pictures-unseen');
    await stage.panel.click('picture-remove');
    await has(0);
    await stage.panel.fill('base-url', `${stage.model.url}/as/qwen/compatible-mode/v1`);
    await stage.panel.view('chat');
  });

  test('a picture is exported and imported with its chat', async () => {
    await begin();
    await giveFile('paste', { width: 40, height: 20 });
    await has(1);
    await stage.panel.ask('What is this?');
    const kept = await panel().$eval(`${testId('item-user')} img`, (img) => img.src);
    const text = await exported();
    assert.ok(text.includes(kept.slice(kept.indexOf(',') + 1)), 'the data is in the file');
  });

  test('a picture of the page in front goes to the model, without the sign of its use, and is shown with its call', async () => {
    const tab = await stage.begin(stage.site.put('chart.html', '<!doctype html><title>Chart</title><body style="margin:0;background:white"><canvas id="c" width="300" height="150" style="background:teal" role="img" aria-label="Sales"></canvas>'), { scenario: 'call-tool' });
    await stage.panel.fill('base-url', `${stage.model.url}/as/qwen/compatible-mode/v1`);
    await stage.panel.view('chat');
    await stage.panel.say('call request_page_access {"access":"read"}\nthen\ncall screenshot {"selector":"#c"}');
    await stage.panel.see('approval');
    await stage.panel.decide('run');
    assert.equal((await stage.panel.rest()).why, 'done');
    await stage.panel.ask('call screenshot');
    const last = (await stage.model.requests()).at(-1).body.messages;
    const results = last.filter(({ role }) => role === 'tool').map(({ content }) => content);
    assert.match(results[1], /the element, 300 × 150 CSS pixels:\n\[a picture, \d+ × \d+\]/);
    assert.match(results[2], /what is visible of the page/);
    const urls = last.flatMap(({ content }) => (Array.isArray(content) ? content : [])).filter(({ type }) => type === 'image_url').map((part) => part.image_url.url);
    assert.equal(urls.length, 2);
    // Teal all over, white beside it: neither frame nor word of the agent.
    const colours = await panel().evaluate(async (urls) => {
      const of = async (url) => {
        const image = await createImageBitmap(await (await fetch(url)).blob());
        const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
        context.drawImage(image, 0, 0);
        const { data } = context.getImageData(0, 0, image.width, image.height);
        const seen = new Set();
        for (let at = 0; at < data.length; at += 4) seen.add(data.slice(at, at + 3).join(','));
        return [...seen];
      };
      return Promise.all(urls.map(of));
    }, urls);
    assert.deepEqual(colours[0], ['0,128,128']);
    assert.deepEqual(colours[1].toSorted(), ['0,128,128', '255,255,255']);
    await stage.panel.unfold();
    await stage.panel.see('pictures');
    assert.deepEqual(await violations(panel()), []);
    await tab.close();
  });

  /** The text of the file that an export offers. */
  async function exported() {
    await panel().evaluate(() => {
      const make = URL.createObjectURL;
      URL.createObjectURL = (blob) => {
        window.exportedText = blob.text();
        return make(blob);
      };
    });
    await stage.panel.click('threads');
    await stage.panel.see('thread-files');
    await panel().click(`${testId('thread-files')} summary`);
    await stage.panel.click('export-json');
    await panel().waitForFunction(() => window.exportedText);
    const text = await panel().evaluate(() => window.exportedText);
    await stage.panel.click('threads');
    return text;
  }
});
