/** Programs of `examples/gke-*` as Pulumi would run them, with the settings of one of their stacks and without a cloud. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import { transformSync } from '@swc/core';
import { parse } from 'yaml';
import { settled, startRecording, type Recorder } from './mocks';
import * as stacks from '../../../src/stacks';
import { MODULES } from '../../support/library';

/** Folder of the examples. */
export const EXAMPLES = path.join(__dirname, '..', '..', '..', 'examples');

/** Settings that are in no file: people set them as secrets. */
const SECRETS = ['databasePassword', 'dexClientSecret', 'cookieSecret', 'googleClientSecret'];

/** What programs have asked for, by their folder and stack. */
const runs = new Map<string, Promise<Recorder>>();

/** What a program asks for; it runs once. @param example its folder @param stack which of its files of settings */
export function runExample(example: string, stack: string): Promise<Recorder> {
  const known = runs.get(`${example} ${stack}`) ?? run(example, stack);
  runs.set(`${example} ${stack}`, known);
  return known;
}

async function run(example: string, stack: string): Promise<Recorder> {
  const folder = path.join(EXAMPLES, example);
  const { config } = parse(readFileSync(path.join(folder, `Pulumi.${stack}.yaml`), 'utf8')) as { readonly config: { readonly [key: string]: unknown } };
  const settings = Object.entries(config).map(([key, value]): [string, string] => [key, typeof value === 'string' ? value : JSON.stringify(value)]);
  pulumi.runtime.setAllConfig(Object.fromEntries([...settings, ...SECRETS.map((name) => [`${example}:${name}`, 'made-up'])]));
  const recorder = await startRecording({ stack, project: example });
  // Evaluated for each environment anew, with the modules of this test: a second copy of Pulumi would have an engine of its own.
  const { code } = transformSync(readFileSync(path.join(folder, 'index.ts'), 'utf8'), { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } });
  const modules: { readonly [name: string]: unknown } = { '@pulumi/pulumi': pulumi, ...MODULES, 'trainyard/stacks': stacks };
  new Function('require', 'exports', code)((name: string) => modules[name] ?? jest.requireActual(name), {});
  await settled();
  return recorder;
}

/** The graph of a program, without the hash of the operator's code. */
export function stableGraph(recorder: Recorder): string {
  return recorder.graph().replace(/-code-[0-9a-f]{12}/g, '-code-HASH');
}
