/** The answer of a test to a request that is no page. */
export function mocked(mocks, url) {
  const mock = mocks.find(({ path }) => path === decodeURIComponent(url.pathname) || path === url.pathname);
  if (mock === undefined) return undefined;
  const isText = typeof mock.body === 'string';
  return { status: mock.status, type: mock.type ?? (isText ? 'text/html' : 'application/json'), body: isText ? mock.body : JSON.stringify(mock.body) };
}
