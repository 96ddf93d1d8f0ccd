/** What is claimed of a page. */

/** Milliseconds within which a claim must come true: many, for a machine that is busy. */
const PATIENCE = 30_000;

type Claim = () => boolean | Promise<boolean>;

let failures = 0;

/** Claims that did not come true so far. */
export function countFailures(): number {
  return failures;
}

/** Notes whether a claim comes true. */
export async function check(claim: Claim, what: string): Promise<void> {
  const holds = await comesTrue(claim, PATIENCE);
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${what}`);
  if (!holds) failures += 1;
}

/** Does something until it has its effect: what is clicked may be drawn anew at the same moment. */
export async function until(act: () => Promise<unknown>, claim: Claim): Promise<void> {
  for (let left = 5; left > 0; left -= 1) {
    await act();
    if (await comesTrue(claim, PATIENCE / 15)) return;
  }
}

async function comesTrue(claim: Claim, patience: number): Promise<boolean> {
  for (const end = Date.now() + patience; ;) {
    if (await claim()) return true;
    if (Date.now() > end) return false;
    await new Promise((done) => setTimeout(done, 25));
  }
}
