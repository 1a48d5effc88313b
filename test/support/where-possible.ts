/** Tests that need something that not every machine has: they count as skipped where it is missing, and the output says why. */

/** `test`, or `test.skip` where something is missing. @param what is not tried then @param missing what is missing; undefined where nothing is */
export function testUnless(missing: string | undefined, what: string): jest.It {
  sayWhy(missing, what);
  return missing === undefined ? test : test.skip;
}

/** `describe`, in the same way. */
export function describeUnless(missing: string | undefined, what: string): jest.Describe {
  sayWhy(missing, what);
  return missing === undefined ? describe : describe.skip;
}

function sayWhy(missing: string | undefined, what: string): void {
  if (missing !== undefined) {
    // Not with the console, whose output jest prints with a stack.
    process.stderr.write(`Skipped: ${what}: ${missing}\n`);
  }
}
