/** Streaming and rendering of answers. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

describe('streaming', () => {
  /** @type {Stage} */
  let stage;
  before(async () => (stage = await Stage.set()));
  after(() => stage?.strike());

  const answer = async () => (await stage.panel.transcript()).findLast((entry) => entry.kind === 'assistant');

  test('text is shown while the response is still open', async () => {
    await stage.begin(stage.site.url('empty.html'), { scenario: 'long' });
    await stage.model.fault({ delivery: { hold_after_event: 60 } });
    await stage.panel.say('Write 200 tokens');
    await stage.model.wait(1, 'held');
    await until(async () => ((await answer())?.answer ?? '').length > 0, { what: 'the first words' });
    const early = await answer();
    assert.equal(early.state, 'streaming');
    const [held] = await stage.model.requests();
    assert.equal(held.phase, 'held', 'the response is still open');

    await stage.model.release(1);
    await stage.panel.rest();
    const whole = await answer();
    assert.equal(whole.state, 'done');
    assert.ok(whole.answer.length > early.answer.length);
    assert.ok(whole.answer.startsWith(early.answer.slice(0, 20)));
  });

  test('reasoning is folded after the answer, and can be unfolded', async () => {
    await stage.begin(stage.site.url('empty.html'), { scenario: 'call-tool' });
    await stage.panel.ask('call nothing');
    const toggle = await stage.panel.see('reasoning-toggle');
    assert.equal(await toggle.evaluate((node) => node.getAttribute('aria-expanded')), 'false');
    await stage.panel.unfold();
    assert.match((await stage.panel.transcript()).find((entry) => entry.reasoning).reasoning, /Round 1 of 1/);
  });

  test('a response sent byte by byte gives the same text, with Chinese and emoji intact', async () => {
    await stage.begin(stage.site.url('echo.html'), { tools: 4 });
    await stage.model.fault({ times: 2, delivery: { byte_by_byte: true } });
    await stage.panel.ask('call echoText {"text":"直飞航班 ✈️ 2,000 元以下"}');
    await stage.panel.call('echoText', 'ok');
    assert.match((await answer()).answer, /直飞航班 ✈️ 2,000 元以下/);
  });

  test('Markdown is rendered as elements', async () => {
    await stage.begin(stage.site.url('empty.html'), { scenario: 'echo' });
    await stage.panel.ask('markdown, please');
    const counts = await stage.panel.page.evaluate(() => {
      const shown = document.querySelector('[data-testid="answer"]');
      const count = (selector) => shown.querySelectorAll(selector).length;
      return {
        headings: count('h1, h2, h3, h4, h5, h6') >= 5,
        bold: [...shown.querySelectorAll('strong')].map((node) => node.textContent),
        lists: [count('ul') >= 2, count('ol') >= 1, count('li') >= 8],
        table: [count('table'), count('tr'), count('th')],
        code: [count('pre'), shown.querySelector('pre')?.textContent.includes('<b>${cheapest.price}</b>')],
        quote: count('blockquote'),
        link: [...shown.querySelectorAll('a')].map((node) => node.href),
      };
    });
    assert.deepEqual(counts, {
      headings: true,
      bold: ['bold', '粗体'],
      lists: [true, true, true],
      table: [1, 3, 3],
      code: [1, true],
      quote: 1,
      link: ['https://example.com/path?a=1&b=2'],
    });
  });

  test('emphasis works without spaces, as in Chinese text', async () => {
    await stage.begin(stage.site.url('empty.html'), { scenario: 'echo' });
    await stage.panel.ask('**推荐：**南京，**“直飞”**航班');
    const bold = await stage.panel.page.$$eval('[data-testid="answer"] strong', (nodes) => nodes.map((node) => node.textContent));
    assert.deepEqual(bold, ['推荐：', '“直飞”']);
    assert.equal((await answer()).answer, '推荐：南京，“直飞”航班');
  });

  test('a link shows its host, unless its text does', async () => {
    await stage.begin(stage.site.url('empty.html'), { scenario: 'echo' });
    await stage.panel.ask(
      `**[ Run ](https://attacker.example/?d=${'s'.repeat(80)})** [https://platform.deepseek.com](https://attacker.example/key) ` +
        '[a.example](https://a.example/page) https://b.example/c [b](https://b.example\\\\@a.example/) <https://c.example/?q=1>',
    );
    const links = await stage.panel.page.$$eval('[data-testid="answer"] a', (nodes) =>
      nodes.map((node) => [node.innerText.trim(), node.nextElementSibling?.dataset?.testid === 'link-host' ? node.nextElementSibling.innerText : '']),
    );
    assert.deepEqual(links, [
      ['Run', 'attacker.example, followed by 84 characters'],
      ['https://platform.deepseek.com', 'attacker.example'],
      ['a.example', ''],
      ['b', 'b.example'],
      ['https://c.example/?q=1', ''],
    ]);
  });

  test('HTML in an answer is shown as text, never as markup', async () => {
    await stage.begin(stage.site.url('empty.html'), { scenario: 'echo' });
    await stage.panel.ask('<img src=x onerror=document.title=1><script>document.title=2</script> [a](javascript:alert(1)) ![b](https://example.com/b.png) **bold**');
    assert.match((await answer()).answer, /<img src=x onerror/);
    const found = await stage.panel.page.evaluate(() => {
      const transcript = document.querySelector('[data-testid="transcript"]');
      return {
        images: transcript.querySelectorAll('img').length,
        scripts: transcript.querySelectorAll('script').length,
        links: [...transcript.querySelectorAll('a')].filter((link) => !/^https?:$/.test(link.protocol)).length,
        bold: [...transcript.querySelectorAll('strong')].some((node) => node.textContent === 'bold'),
      };
    });
    assert.deepEqual(found, { images: 0, scripts: 0, links: 0, bold: true });
  });

  test('new text does not scroll a user who scrolled up, who can jump to the end', async () => {
    await stage.begin(stage.site.url('empty.html'), { scenario: 'long' });
    await stage.panel.ask('Write 900 tokens');
    await stage.model.fault({ delivery: { hold_after_event: 100 } });
    await stage.panel.say('Write 900 tokens');
    await stage.model.wait(2, 'held');
    const scroll = () =>
      stage.panel.page.evaluate(() => {
        const node = document.querySelector('[data-testid="transcript"]');
        return { top: node.scrollTop, rest: node.scrollHeight - node.scrollTop - node.clientHeight };
      });
    await until(async () => (await scroll()).rest < 40, { what: 'the newest text to be in sight' });
    await stage.panel.page.evaluate(() => (document.querySelector('[data-testid="transcript"]').scrollTop = 10));
    await until(async () => (await scroll()).top === 10, { what: 'the scroll' });
    await stage.model.release();
    await stage.panel.see('new-text');
    await stage.panel.rest();
    assert.equal((await scroll()).top, 10);
    await stage.panel.click('new-text');
    await until(async () => (await scroll()).rest < 40, { what: 'the end' });
  });

  test('the panel raised no errors', () => assert.deepEqual(stage.panel.problems, []));
});
