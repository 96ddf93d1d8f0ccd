/** Requests that tests answer in place of the service. */

import type { Page } from 'playwright-core';

/**
 * Lets a page that is not opened yet pass all its requests through the test.
 *
 * A route that is added to an open page is the first one at which the browser holds requests. On a busy machine it then
 * still sends some that follow, so the route does not see them.
 */
export async function holdFromStart(page: Page): Promise<void> {
  await page.route('**/no-such-address', (route) => route.continue());
}
