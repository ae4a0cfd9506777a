/** Pages on which the agent has no tools, and the reason that the panel shows. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { INSECURE_HOST } from '../lib/browser.mjs';
import { offered } from '../lib/model.mjs';
import { forBothModes, Stage } from '../lib/stage.mjs';
import { until } from '../lib/wait.mjs';

forBothModes('pages without tools', (native) => {
  /** @type {Stage} */
  let stage;
  before(async () => {
    stage = await Stage.set({ native });
    await stage.use('call-tool');
  });
  after(() => stage?.strike());

  test('a page that registers no tools is shown as such', async () => {
    await stage.begin(stage.site.url('empty.html'));
    await stage.panel.see('state-no-tools');
    assert.equal(await stage.panel.text('site'), `localhost:${stage.site.port}`);
  });

  for (const url of ['chrome://version/', 'chrome://settings/']) {
    test(`${url} is shown as restricted`, async () => {
      await stage.begin(url);
      await stage.panel.see('state-restricted');
    });
  }

  test('a page of this extension is shown as restricted', async () => {
    await stage.begin(stage.chromium.extensionUrl('manifest.json'));
    await stage.panel.see('state-restricted');
  });

  test('an insecure page is shown as insecure', async () => {
    await stage.begin(stage.site.url('empty.html', `http://${INSECURE_HOST}:${stage.site.port}`));
    await stage.panel.see('state-insecure');
  });

  test('a page that is still loading is shown as loading', async () => {
    const release = stage.site.hold('/held.js');
    await stage.model.reset();
    const page = await stage.tab('about:blank');
    const loaded = page.goto(stage.site.url('slow.html'));
    await stage.panel.see('state-loading');
    release();
    await loaded;
    await stage.panel.knows(1);
    assert.equal(await stage.panel.shows('state-loading'), false);
  });

  if (native) {
    for (const file of ['blocked.html', 'shared-cluster.html']) {
      test(`${file}, which blocks WebMCP, is shown as blocked`, async () => {
        await stage.begin(stage.site.url(file));
        await stage.panel.see('state-blocked');
      });
    }
  }

  test('a conversation without tools is still possible', async () => {
    await stage.begin(stage.site.url('empty.html'));
    const turn = await stage.panel.ask('hello');
    assert.equal(turn.at(-1).why, 'done');
    const [request] = await stage.model.requests();
    assert.deepEqual(offered(request), [], 'no tools of the page are offered');
  });

  test('leaving a restricted page brings the tools back', async () => {
    const page = await stage.begin('chrome://version/');
    await stage.panel.see('state-restricted');
    await page.goto(stage.site.url('echo.html'));
    await stage.panel.knows(4);
    await until(async () => !(await stage.panel.shows('state-restricted')), { what: 'the state to go' });
  });

  test('the panel raised no errors', () => assert.deepEqual(stage.panel.problems, []));
});
