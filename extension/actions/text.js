/** Text of a page as it may stand in a line for the model. */

/** Soft hyphens, zero-width and bidirectional controls, tags: what changes a text without showing. */
const UNSEEN = /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
/** Joiners belong between letters or parts of an emoji, nowhere else. */
const JOINERS = /(?<![\p{L}\p{M}\p{Emoji_Modifier}\p{Extended_Pictographic}\ufe0f])[\u200c\u200d]|[\u200c\u200d](?![\p{L}\p{M}\p{Extended_Pictographic}])/gu;
const CONTROL = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/g;
/** Most texts have none of these; one look saves three passes. */
const ODD = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff9-\ufffb]/;

/** Without unseen characters and lone surrogates. */
export const seen = (text) => (ODD.test(text) ? text.toWellFormed().replace(CONTROL, '').replace(UNSEEN, '').replace(JOINERS, '') : text);

/** One line: each run of white space is a space. Blanks at the ends stay as one, because words may join there. */
export const fold = (text) => seen(text).replace(/\s+/g, ' ');

/** One line, without white space at its ends, at most `most` characters. */
export function line(text, most = 200) {
  const whole = fold(text).trim();
  return whole.length > most ? `${whole.slice(0, most - 1).toWellFormed().replace(/\ufffd$/, '')}…` : whole;
}

/** What text must not imitate: a reference, or the marks around what a page wrote. */
const MARKS = /\[(?=\s*ref\s*=)|<(?=\/?\s*page_data)|`(?=``)/gi;

/** Text that cannot be taken for a reference or the end of a page's words. */
export const plain = (text) => text.replace(MARKS, (mark) => `${mark} `);

/** A name in quotes. */
export const quoted = (name) => JSON.stringify(plain(name));

/** For comparing: without case, width and accents. */
export const folded = (text) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
