/** The words of the page in both languages. */

const ENGLISH = {
  title: 'Skylark flights',
  brand: 'Skylark',
  tagline: 'Find a flight between seventeen cities',
  madeUp: 'A demonstration. Every flight, airline and price is made up.',
  language: 'Language',
  from: 'From',
  to: 'To',
  date: 'Date',
  swap: 'Swap origin and destination',
  search: 'Search',
  searching: 'Searching…',
  filters: 'Filters',
  directOnly: 'Direct flights only',
  maxPrice: 'Price up to (CNY)',
  anyPrice: 'any',
  airline: 'Airline',
  anyAirline: 'All airlines',
  departAfter: 'Leaves from',
  departBefore: 'Leaves until',
  reset: 'Reset filters',
  sort: 'Sort by',
  price: 'Price',
  depart: 'Departure',
  duration: 'Duration',
  direct: 'Direct',
  via: (city) => `via ${city}`,
  lasting: (hours, minutes) => (hours ? `${hours} h ${minutes} min` : `${minutes} min`),
  nextDay: 'next day',
  heading: (from, to, date) => `${from} to ${to}, ${date}`,
  count: (shown, all) =>
    shown === all ? `${all} ${all === 1 ? 'flight' : 'flights'}` : `${shown} of ${all} flights`,
  remove: (chip) => `Remove filter: ${chip}`,
  chips: {
    directOnly: () => 'Direct only',
    maxPrice: (value) => `Up to ${value}`,
    airline: (value) => value,
    departAfter: (value) => `From ${value}`,
    departBefore: (value) => `Until ${value}`,
  },
  emptyTitle: 'Where to?',
  emptyText: 'Choose two cities and a day. Nothing is booked here, so look around.',
  noneTitle: 'No flight passes these filters',
  noneText: 'Allow a stop or a higher price, or reset the filters.',
  cheapest: 'Cheapest',
  noTools: 'This browser has no WebMCP, so the page works by hand only.',
  tools: (count) => `${count} tools offered through WebMCP`,
};

/** @type {typeof ENGLISH} */
const CHINESE = {
  title: '云雀航班搜索',
  brand: '云雀',
  tagline: '十七座城市之间的航班',
  madeUp: '演示页面。所有航班、航空公司和价格均为虚构。',
  language: '语言',
  from: '出发地',
  to: '目的地',
  date: '日期',
  swap: '交换出发地和目的地',
  search: '搜索',
  searching: '正在搜索…',
  filters: '筛选',
  directOnly: '只看直飞',
  maxPrice: '最高价格（元）',
  anyPrice: '不限',
  airline: '航空公司',
  anyAirline: '全部航空公司',
  departAfter: '最早出发',
  departBefore: '最晚出发',
  reset: '清除筛选',
  sort: '排序',
  price: '价格',
  depart: '出发时间',
  duration: '飞行时长',
  direct: '直飞',
  via: (city) => `经停${city}`,
  lasting: (hours, minutes) => (hours ? `${hours}小时${minutes}分` : `${minutes}分钟`),
  nextDay: '次日',
  heading: (from, to, date) => `${from}到${to}，${date}`,
  count: (shown, all) => (shown === all ? `共${all}个航班` : `${all}个航班中的${shown}个`),
  remove: (chip) => `移除筛选：${chip}`,
  chips: {
    directOnly: () => '只看直飞',
    maxPrice: (value) => `${value}以下`,
    airline: (value) => value,
    departAfter: (value) => `${value}之后出发`,
    departBefore: (value) => `${value}之前出发`,
  },
  emptyTitle: '想去哪里？',
  emptyText: '选择两座城市和一个日期。这里不会真的订票，随意试试。',
  noneTitle: '没有符合条件的航班',
  noneText: '可以接受经停、提高价格上限，或清除筛选。',
  cheapest: '最低价',
  noTools: '此浏览器没有 WebMCP，页面只能手动使用。',
  tools: (count) => `通过 WebMCP 提供 ${count} 个工具`,
};

/** What the address asks for, else what the browser speaks. */
export const language = (() => {
  const asked = new URLSearchParams(location.search).get('lang') ?? navigator.language;
  return asked.toLowerCase().startsWith('zh') ? 'zh' : 'en';
})();

export const words = language === 'zh' ? CHINESE : ENGLISH;

const locale = language === 'zh' ? 'zh-CN' : 'en-GB';

/** @param {number} yuan */
export function money(yuan) {
  return new Intl.NumberFormat(locale, { style: 'currency', currency: 'CNY', maximumFractionDigits: 0, currencyDisplay: 'narrowSymbol' }).format(yuan);
}

/** @param {string} date YYYY-MM-DD */
export function longDate(date) {
  return new Intl.DateTimeFormat(locale, { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${date}T00:00:00Z`),
  );
}
