/** The words of the shop in both languages, and how it writes numbers. A unit brings the space before it. */

const ENGLISH = {
  brand: 'Pebblecart',
  tagline: 'Good things for home and desk',
  madeUp: 'A demonstration. Every product and price is made up, and nothing is sold.',
  offersTools: (count) => `${count} tools for agents`,
  offersNoTools: 'This browser has no WebMCP, so there are no tools for agents.',
  skip: 'Skip to content',
  language: 'Language',
  basketLink: 'Basket',
  pieces: (count) => (count === 1 ? ' item' : ' items'),

  searchSite: 'Search the shop',
  searchLabel: 'Search products',
  searchHint: 'kettle, lamp, blue chair…',
  search: 'Search',
  homeTitle: 'What are you looking for?',
  kindsTitle: 'Browse by kind',
  popularTitle: 'Most reviewed',

  allProducts: 'All products',
  resultsFor: (q) => `Results for “${q}”`,
  results: 'Results',
  products: (count) => (count === 1 ? ' product' : ' products'),
  filters: 'Filters',
  max: 'Price up to (CNY)',
  anyPrice: 'any',
  color: 'Colour',
  anyColor: 'Any colour',
  inStockOnly: 'In stock only',
  sort: 'Sort by',
  sorts: {
    relevance: 'Best match',
    'price-asc': 'Price: low to high',
    'price-desc': 'Price: high to low',
    rating: 'Rating',
    reviews: 'Number of reviews',
  },
  clear: 'Clear filters',
  empty: 'No products match',
  emptyHint: 'Try other words, a higher price or another colour.',
  pages: 'Pages',
  previous: 'Previous',
  next: 'Next',
  page: (number) => `Page ${number}`,

  colors: { black: 'Black', white: 'White', red: 'Red', blue: 'Blue', green: 'Green', yellow: 'Yellow' },
  was: 'Was',
  outOfFive: ' out of 5',
  reviews: (count) => (count === 1 ? ' review' : ' reviews'),
  unrated: 'No reviews yet',
  inStock: 'In stock',
  few: (count) => `Only ${count} left`,
  soldOut: 'Sold out',

  missing: 'Item not found',
  missingHint: 'It may have been taken out of the shop.',
  backToShop: 'See all products',
  description: (name, color) =>
    `The ${name} in ${color.toLowerCase()}: made to be used every day, easy to clean, with a two-year guarantee.`,
  quantity: 'Quantity',
  add: 'Add to basket',
  added: 'Added to the basket',
  tooMany: (most, inBasket) => `Not added: ${most} at most, and ${inBasket} in the basket.`,
  viewBasket: 'View basket',

  basketTitle: 'Your basket',
  basketEmpty: 'Your basket is empty',
  each: ' each',
  quantityOf: (name) => `Quantity of ${name}`,
  remove: 'Remove',
  removeOf: (name) => `Remove ${name}`,
  total: 'Total',
  toOrder: 'Go to order',

  orderTitle: 'Your order',
  address: 'Delivery address',
  fullName: 'Name',
  street: 'Street and number',
  city: 'City',
  delivery: 'Delivery method',
  deliveries: {
    standard: 'Standard, 3 to 5 days',
    express: 'Express, next day',
    pickup: 'Pick up at the shop',
  },
  note: 'Note for the shop (optional)',
  payment: 'Payment',
  card: 'Card number',
  cardHint: 'Needed to place the order. A draft never holds it.',
  goods: 'Products',
  deliveryCost: 'Delivery',
  saveDraft: 'Save draft',
  placeOrder: 'Place order',
  draftSaved: 'Draft saved:',
  restored: (number) => `Filled in from draft ${number}.`,
  placedTitle: 'Thank you for your order',
  orderNumber: 'Order number:',

  signInTitle: 'Sign in to go on',
  signInHint: 'Any address and password will do: this is a demonstration.',
  email: 'Email',
  password: 'Password',
  signIn: 'Sign in',
  challengeTitle: 'Prove that you are a person',
  challengeHint: 'There were many requests from here. Tick the box to go on.',
  person: 'I am a person',
  goOn: 'Continue',
};

/** @type {typeof ENGLISH} */
const CHINESE = {
  brand: '卵石小铺',
  tagline: '居家与书桌好物',
  madeUp: '演示网站。所有商品和价格均为虚构，不会产生真实交易。',
  offersTools: (count) => `提供 ${count} 个智能助手工具`,
  offersNoTools: '此浏览器没有 WebMCP，因此没有智能助手工具。',
  skip: '跳到主要内容',
  language: '语言',
  basketLink: '购物车',
  pieces: () => '件',

  searchSite: '站内搜索',
  searchLabel: '搜索商品',
  searchHint: '水壶、台灯、椅子……',
  search: '搜索',
  homeTitle: '想找点什么？',
  kindsTitle: '按品类浏览',
  popularTitle: '评价最多',

  allProducts: '全部商品',
  resultsFor: (q) => `“${q}”的搜索结果`,
  results: '搜索结果',
  products: () => '件商品',
  filters: '筛选',
  max: '最高价格（元）',
  anyPrice: '不限',
  color: '颜色',
  anyColor: '全部颜色',
  inStockOnly: '仅看有货',
  sort: '排序',
  sorts: {
    relevance: '综合',
    'price-asc': '价格从低到高',
    'price-desc': '价格从高到低',
    rating: '评分',
    reviews: '评价数',
  },
  clear: '清除筛选',
  empty: '没有符合条件的商品',
  emptyHint: '可以换个关键词、提高价格上限，或换一种颜色。',
  pages: '分页',
  previous: '上一页',
  next: '下一页',
  page: (number) => `第${number}页`,

  colors: { black: '黑色', white: '白色', red: '红色', blue: '蓝色', green: '绿色', yellow: '黄色' },
  was: '原价',
  outOfFive: '分（满分5分）',
  reviews: () => '条评价',
  unrated: '暂无评价',
  inStock: '有货',
  few: (count) => `仅剩${count}件`,
  soldOut: '已售罄',

  missing: '商品不存在',
  missingHint: '该商品可能已下架。',
  backToShop: '查看全部商品',
  description: (name, color) => `${color}${name}，适合日常使用，易清洁，两年质保。`,
  quantity: '数量',
  add: '加入购物车',
  added: '已加入购物车',
  tooMany: (most, inBasket) => `未加入：最多可购${most}件，购物车中已有${inBasket}件。`,
  viewBasket: '查看购物车',

  basketTitle: '我的购物车',
  basketEmpty: '购物车是空的',
  each: '/件',
  quantityOf: (name) => `${name}的数量`,
  remove: '移除',
  removeOf: (name) => `移除${name}`,
  total: '合计',
  toOrder: '去下单',

  orderTitle: '填写订单',
  address: '收货地址',
  fullName: '收货人',
  street: '街道门牌',
  city: '城市',
  delivery: '配送方式',
  deliveries: {
    standard: '普通配送，3至5天',
    express: '次日达',
    pickup: '到店自提',
  },
  note: '给商家的留言（选填）',
  payment: '支付',
  card: '银行卡号',
  cardHint: '提交订单时需要。草稿不会保存卡号。',
  goods: '商品金额',
  deliveryCost: '运费',
  saveDraft: '保存草稿',
  placeOrder: '提交订单',
  draftSaved: '草稿已保存：',
  restored: (number) => `已载入草稿 ${number} 的内容。`,
  placedTitle: '下单成功，谢谢惠顾',
  orderNumber: '订单号：',

  signInTitle: '请先登录',
  signInHint: '这是演示网站，任意邮箱和密码均可登录。',
  email: '邮箱',
  password: '密码',
  signIn: '登录',
  challengeTitle: '请完成真人验证',
  challengeHint: '当前网络请求过多，请勾选后继续。',
  person: '我是真人',
  goOn: '继续',
};

/** What the address asks for, else what was chosen before, else what the browser speaks. */
export const language = (() => {
  const asked = new URLSearchParams(location.search).get('lang');
  if (asked) localStorage.setItem('language', asked);
  const wanted = asked ?? localStorage.getItem('language') ?? navigator.language;
  return wanted.toLowerCase().startsWith('zh') ? 'zh' : 'en';
})();

/** As in `html lang`. */
export const tag = language === 'zh' ? 'zh-CN' : 'en';

export const words = language === 'zh' ? CHINESE : ENGLISH;

const yuan = new Intl.NumberFormat(tag, { style: 'currency', currency: 'CNY', currencyDisplay: 'narrowSymbol' });
const plain = new Intl.NumberFormat(tag);

/** `¥1,234.50` */
export function money(amount) {
  return yuan.format(amount);
}

/** `12,034`; in Chinese from ten thousand on `1.2万`. */
export function many(count) {
  if (language !== 'zh' || count < 10_000) return plain.format(count);
  return `${Math.floor(count / 1000) / 10}万`;
}
