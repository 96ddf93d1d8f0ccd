/** What is claimed of a page. */

/** Milliseconds within which a claim must come true: many, for a machine that is busy. */
const PATIENCE = 30_000;

type Claim = () => boolean | Promise<boolean>;

const failures: string[] = [];

/** Prints the claims that did not come true once more, at the end, and returns the exit status. */
export function conclude(): number {
  for (const what of failures) console.log(`FAIL ${what}`);
  console.log(failures.length === 0 ? 'all well' : `${failures.length} failures`);
  return failures.length === 0 ? 0 : 1;
}

/** Notes whether a claim comes true. */
export async function check(claim: Claim, what: string): Promise<void> {
  const holds = await comesTrue(claim, PATIENCE);
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${what}`);
  if (!holds) failures.push(what);
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
