/** Programs of examples/ and what they write. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The folder of all examples. */
export const EXAMPLES = path.join(__dirname, '..', '..', 'examples');

/** Names of the examples that are programs. */
export const EXAMPLE_NAMES = readdirSync(EXAMPLES).filter((name) => existsSync(path.join(EXAMPLES, name, 'main.ts')));

/** Runs a program of examples/ as cdk8s does and returns what it wrote, by file name. */
export function synthesizeExample(program: string): Map<string, string> {
  const outdir = mkdtempSync(path.join(tmpdir(), 'trainyard-example-'));
  process.env.CDK8S_OUTDIR = outdir;
  try {
    // Each time from the start: a second run that only got the first one's module would write nothing.
    jest.isolateModules(() => {
      jest.requireActual(path.join(EXAMPLES, program));
    });
    // Folders are a platform's kustomizations; what cdk8s writes are files.
    const files = readdirSync(outdir, { withFileTypes: true }).filter((entry) => entry.isFile()).map(({ name }) => name).sort();
    return new Map(files.map((file) => [file, readFileSync(path.join(outdir, file), 'utf8')]));
  } finally {
    delete process.env.CDK8S_OUTDIR;
    rmSync(outdir, { recursive: true });
  }
}
