import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { BinaryAnswer, BinaryRequest, BinarySource, putInPlace } from '../../../src/local/control-plane/binary-source';
import { ComponentName } from '../../../src/local/control-plane/components';

/** A folder that is removed after the test file. */
export function temporaryFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-unit-'));
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes an executable shell script. */
export function writeScript(folder: string, name: string, script: string): string {
  fs.mkdirSync(folder, { recursive: true });
  const file = path.join(folder, name);
  fs.writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}

/** A source that has some programs, as scripts that say where they are from, and remembers what it was asked for. */
export class FakeSource implements BinarySource {
  public readonly asked: ComponentName[][] = [];

  public constructor(public readonly title: string, private readonly has: readonly ComponentName[], private readonly note = 'out of stock') {}

  public async provide({ components, scratchFolder, binFolder }: BinaryRequest): Promise<BinaryAnswer> {
    this.asked.push(components.map(({ name }) => name));
    const found = new Map<ComponentName, string>();
    for (const { name } of components.filter((wanted) => this.has.includes(wanted.name))) {
      found.set(name, putInPlace(writeScript(scratchFolder, name, `echo from ${this.title}`), binFolder, name));
    }
    return { found, notes: found.size < components.length ? [this.note] : [] };
  }
}
