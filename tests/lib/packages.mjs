/** Packages of SKILLs that tests make, and adding them in the panel. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { crc32 } from 'node:zlib';

import { testId } from './panel.mjs';
import { until } from './wait.mjs';

/** A tool without inputs. */
export const tool = (name, more) => ({
  name,
  description: `Does ${name}.`,
  class: 'read',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  ...more,
});

/** `webmcp/skill.json` of a SKILL for the demo shop: a tool that reads the heading and one that clicks. */
export function shopSkill({ id = 'shop-notes', version = '1.0.0', ...more } = {}) {
  return {
    format: 1,
    id,
    version,
    title: { en: 'Notes on the shop', zh: '商店笔记' },
    summary: { en: 'Reads the heading.', zh: '读取标题。' },
    match: ['http://shop.localhost/*'],
    verifiedOn: '',
    permissions: { sites: ['http://shop.localhost/*'], acts: ['press_search'] },
    locators: { heading: { any: [{ css: 'h1' }] }, button: { any: [{ css: 'form[role=search] button' }] } },
    tools: [
      tool('read_heading', {
        steps: [
          { do: 'read', at: 'heading', what: 'text', as: 'heading' },
          { do: 'return', value: { heading: '{{heading}}' } },
        ],
      }),
      tool('press_search', { class: 'acting', steps: [{ do: 'click', at: 'button', then: 'navigation' }] }),
    ],
    ...more,
  };
}

/** SKILL.md of a SKILL. */
export const text = ({ id, version, description = 'Helps in the shop.', body = 'Read the heading first.' }) =>
  `---\nname: ${id}\ndescription: ${description}\nmetadata:\n  version: "${version}"\n  webmcp-sidecar: webmcp/skill.json\n---\n\n${body}\n`;

/** The files of a package, below its folder. */
export const filesOf = (skill, more = {}) => ({
  [`${skill.id}/SKILL.md`]: text({ ...skill, ...more }),
  [`${skill.id}/webmcp/skill.json`]: JSON.stringify(skill, undefined, 2),
});

/**
 * A zip whose files are stored as they are.
 * @param {Record<string, string | Buffer>} files
 */
export function zip(files) {
  const [bodies, directory] = [[], []];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const [path_, bytes] = [Buffer.from(name), Buffer.from(content)];
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800, 2); // names are UTF-8
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(bytes.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(path_.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, path_, bytes]);
    const entry = Buffer.alloc(16);
    entry.writeUInt32LE(at, 12);
    const made = Buffer.alloc(2);
    made.writeUInt16LE(20, 0);
    const trailer = Buffer.alloc(14);
    trailer.writeUInt32LE(at, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02'), made, common, trailer, path_]));
    bodies.push(local);
    at += local.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(index.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...bodies, index, Buffer.from('PK\x05\x06'), end]);
}

/** Set the browser's switch "Allow User Scripts", with the permission that it needs. @param {import('./stage.mjs').Stage} stage */
export async function allowUserScripts({ panel, chromium }, on) {
  await panel.page.evaluate(() => chrome.permissions.request({ permissions: ['userScripts'] }));
  const page = await chromium.open('chrome://extensions');
  const change = { extensionId: chromium.extensionId, userScriptsAccess: on };
  await page.evaluate((wanted) => chrome.developerPrivate.updateExtensionConfiguration(wanted), change);
  await page.close();
}

/** The SKILLs view as a person uses it. */
export class SkillsView {
  /** @param {import('./panel.mjs').Panel} panel */
  constructor(panel) {
    this.panel = panel;
  }

  /** Open the view with its list. */
  async open() {
    await this.panel.view('skills');
    await this.panel.see('view-skills');
    await until(
      async () => {
        if (await this.panel.shows('skill-add')) return true;
        const back = await this.panel.page.$(testId('skill-back'));
        // A screen may just be giving way to another.
        await back?.click().catch(() => {});
        return false;
      },
      { what: 'the list of SKILLs' },
    );
  }

  /** The card of a SKILL, with more of a selector inside it. */
  card(id, inner = '') {
    return `${testId('skill-card')}[data-id="${id}"]${inner && ` ${inner}`}`;
  }

  /** Wait until a SKILL is in a state. */
  async state(id, state) {
    await this.panel.page.waitForSelector(this.card(id) + `[data-state="${state}"]`, { timeout: 10_000 });
  }

  /** Wait until a SKILL is not there. */
  async without(id) {
    await until(async () => (await this.panel.page.$(this.card(id))) === null, { what: `${id} to be gone` });
  }

  /** Unfold a SKILL. */
  async unfold(id) {
    const toggle = await this.panel.page.waitForSelector(this.card(id, testId('skill-toggle')), { visible: true });
    if ((await toggle.evaluate((node) => node.getAttribute('aria-expanded'))) !== 'true') await toggle.click();
    await this.panel.page.waitForSelector(this.card(id, testId('skill-details')), { visible: true });
  }

  /** Click something in the card of a SKILL. */
  async press(id, what) {
    const found = await this.panel.page.waitForSelector(this.card(id, what), { visible: true, timeout: 10_000 });
    // The list may be laid out anew while a pointer is on its way.
    await found.evaluate((node) => node.click());
  }

  /** Paste a text and have it read. */
  async paste(text) {
    await this.open();
    await this.panel.click('skill-add');
    const area = await this.panel.see('skill-text');
    await area.evaluate((node, value) => {
      node.value = value;
      node.dispatchEvent(new Event('input', { bubbles: true }));
    }, text);
    await this.panel.click('skill-read-text');
  }

  /** Enter an address, on the screen where a SKILL is added. */
  async enter(address) {
    // Keys could go elsewhere: the screen's title takes the focus when it is laid out.
    await (await this.panel.see('skill-address')).evaluate((node, value) => {
      node.value = value;
      node.dispatchEvent(new Event('input', { bubbles: true }));
    }, address);
  }

  /** Choose a file and have it read. */
  async choose(name, content) {
    await this.open();
    await this.panel.click('skill-add');
    await this.panel.see('skill-adding');
    const folder = await mkdtemp(path.join(os.tmpdir(), 'sidecar-skill-'));
    try {
      const file = path.join(folder, name);
      await writeFile(file, content);
      const input = await this.panel.page.$(testId('skill-file'));
      await input.uploadFile(file);
      await this.panel.page.waitForSelector(`${testId('skill-review')}, ${testId('skill-outcome')}`, { timeout: 10_000 });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Install what is shown. */
  async install({ own = false } = {}) {
    await this.panel.see('skill-review');
    if (own) await this.panel.click('skill-own');
    await this.panel.click('skill-install');
    await this.panel.see('skill-add');
  }
}
