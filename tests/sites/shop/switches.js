/**
 * What a test can switch by the address: `?signedOut=1`, `?challenge=1`, `?layout=new`, `?webmcp=1`. The tab remembers it, so that
 * it holds on the next page too, until `0` or `?layout=usual`.
 */

const query = new URLSearchParams(location.search);

function remembered(name, usual) {
  const value = query.get(name) ?? sessionStorage.getItem(name) ?? usual;
  sessionStorage.setItem(name, value);
  return value;
}

/** Whether the visitor has to sign in before seeing anything. */
export const isSignedOut = remembered('signedOut', '0') === '1';

/** Whether the visitor has to prove to be a person first. */
export const isChallenged = remembered('challenge', '0') === '1';

/** Whether the pages have their new structure. */
export const isNewLayout = remembered('layout', 'usual') === 'new';

/** Whether the shop offers tools of its own. */
export const offersTools = remembered('webmcp', '0') === '1';

/** Open the page again without a switch. */
export function switchOff(name) {
  sessionStorage.setItem(name, '0');
  const address = new URL(location.href);
  address.searchParams.delete(name);
  location.replace(address);
}
