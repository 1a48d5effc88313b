/**
 * Resolves when `condition` holds, asked again every few milliseconds. Rejects after `patienceMs` with what was waited for: how long is
 * no measure of speed, only of when to give up.
 */
export async function eventually(what: string, condition: () => boolean | Promise<boolean>, patienceMs = 20_000): Promise<void> {
  const giveUpAt = Date.now() + patienceMs;
  while (!(await condition())) {
    if (Date.now() > giveUpAt) {
      throw new Error(`waited ${patienceMs} ms in vain until ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
