/**
 * Reads what a demo prompt asks for by simple rules, so that the demo is not judged by the model that ran it. What
 * cannot be read with certainty is left out.
 */

import { AIRLINES, CITIES } from '../sites/flights/timetable.js';

/**
 * @typedef {object} Wish
 * @property {string} [origin] IATA code
 * @property {string} [destination] IATA code
 * @property {string} [date] YYYY-MM-DD
 * @property {boolean} [directOnly]
 * @property {number} [maxPrice]
 * @property {boolean} [more] it also asks for something that is not read here: a time of day, an airline
 */

/**
 * @param {string} prompt English or Chinese
 * @param {Date} now
 * @returns {Wish}
 */
export function readPrompt(prompt, now) {
  const original = prompt.replaceAll('’', "'");
  const text = original.toLowerCase();
  return present({
    ...readRoute(original),
    date: readDate(text, now),
    directOnly: /直飞|直达|\b(direct|non-?stop)\b/.test(text) && !/不要直飞|不必直飞|not direct|indirect/.test(text) ? true : undefined,
    maxPrice: readLimit(text),
    more: MORE.test(text) || AIRLINES.some(({ en, zh }) => text.includes(zh) || text.includes(en.toLowerCase())) || undefined,
  });
}

const MORE = /\d\s*[点时:：]|早上|上午|中午|下午|晚上|[早晚]班|[今明]早|[今明]晚|morning|noon|evening|tonight|\b(after|before)\s+\d|\d\s*[ap]\.?m\b/;

/** @param {Date} date */
export function isoDate(date) {
  const two = (number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The two cities of the text; the one after "to" is the destination, however they are ordered. */
function readRoute(text) {
  const places = [];
  for (const { code, en, zh } of CITIES) {
    // Codes in capitals only: "can" is a word.
    for (const name of [new RegExp(`${zh}|\\b${en.replace("'", "'?")}\\b`, 'gi'), new RegExp(`\\b${code}\\b`, 'g')]) {
      for (const { index, 0: written } of text.matchAll(name)) places.push({ code, index, name: written });
    }
  }
  places.sort((a, b) => a.index - b.index);
  const route = places.filter(({ code }, at) => at === 0 || code !== places[at - 1].code);
  if (route.length !== 2) return {};
  const [first, second] = route;
  const before = text.slice(0, first.index);
  const between = text.slice(first.index + first.name.length, second.index);
  const backwards = /\b(to|into)\s*$/i.test(before) && /\bfrom\b/i.test(between);
  const [origin, destination] = backwards ? [second, first] : [first, second];
  return { origin: origin.code, destination: destination.code };
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

function readDate(text, now) {
  const ahead = (days) => isoDate(new Date(now.getFullYear(), now.getMonth(), now.getDate() + days));
  const iso = /\b(\d{4})-(\d{1,2})-(\d{1,2})\b/.exec(text) ?? /(\d{4})年(\d{1,2})月(\d{1,2})[日号]/.exec(text);
  if (iso) return isoDate(new Date(Number(iso[1]), Number(iso[2]) - 1, Number(iso[3])));
  const chinese = /(\d{1,2})月(\d{1,2})[日号]/.exec(text);
  if (chinese) return nextOccurrence(Number(chinese[1]), Number(chinese[2]), now);
  const month = `(${MONTHS.join('|')})[a-z]*\\.?`;
  const dayFirst = new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?\\s+(?:of\\s+)?${month}`).exec(text);
  if (dayFirst) return nextOccurrence(MONTHS.indexOf(dayFirst[2]) + 1, Number(dayFirst[1]), now);
  const monthFirst = new RegExp(`\\b${month}\\s+(\\d{1,2})(?:st|nd|rd|th)?\\b`).exec(text);
  if (monthFirst) return nextOccurrence(MONTHS.indexOf(monthFirst[1]) + 1, Number(monthFirst[2]), now);
  if (/大后天/.test(text)) return ahead(3);
  if (/后天|day after tomorrow/.test(text)) return ahead(2);
  if (/明天|明日|明早|明晚|\btomorrow\b/.test(text)) return ahead(1);
  if (/今天|今日|今晚|\b(today|tonight)\b/.test(text)) return ahead(0);
  return undefined;
}

/** This year's date, or next year's when it has passed. */
function nextOccurrence(month, day, now) {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  const thisYear = new Date(now.getFullYear(), month - 1, day);
  return isoDate(thisYear >= today ? thisYear : new Date(now.getFullYear() + 1, month - 1, day));
}

const AMOUNT = String.raw`[¥￥]?\s*(\d[\d,]*|[一二两三四五六七八九十百千万]+)\s*(?:元|块钱?|rmb|cny|yuan)?\s*`;

function readLimit(text) {
  const after = new RegExp(`${AMOUNT}(?:以下|以内|之内|之下|封顶|or less|or below|at most|max)`).exec(text);
  const before = new RegExp(
    `(?:不超过|不高于|不要超过|低于|少于|最多|最高|under|below|less than|cheaper than|up to|at most|no more than|not more than|max(?:imum)?(?: of)?)\\s*${AMOUNT}`,
  ).exec(text);
  const written = (after ?? before)?.[1];
  if (!written) return undefined;
  return /\d/.test(written) ? Number(written.replaceAll(',', '')) : chineseNumber(written);
}

/** 两千五百 → 2500; 两千五 → 2500. */
function chineseNumber(text) {
  const units = { 十: 10, 百: 100, 千: 1000, 万: 10_000 };
  const digits = { 一: 1, 二: 2, 两: 2, 三: 3, 四: 4, 五: 5, 六: 6, 七: 7, 八: 8, 九: 9 };
  let total = 0;
  let digit = 0;
  let unit = 1;
  for (const character of text) {
    if (character in units) {
      unit = units[character];
      total += (digit || 1) * unit;
      digit = 0;
    } else {
      digit = digits[character];
    }
  }
  return total + digit * (unit > 10 ? unit / 10 : 1);
}

function present(object) {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
