/** Manifests that others have published, where they are at hand: each is accepted, or told what is wrong with it in the words of its own system. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { Definitions } from '../../../src/cli/crd/definitions';
import { diagnosticLine } from '../../../src/cli/validate/output-text';
import { readSources } from '../../../src/cli/validate/sources';
import { validateSources } from '../../../src/cli/validate/validate-sources';
import { OPERATOR_ENGINE } from '../../../src/manifests/engines/operator';

const FOLDER = path.join(__dirname, '..', '..', '..', '..', 'shared', 'background');

/** Manifests in a text of prose, commands and code: from `apiVersion` or `kind` on, as far as the lines can be YAML. */
function manifestsIn(text: string): string[] {
  const lines = text.split('\n');
  const blocks: string[] = [];
  for (let start = 0; start < lines.length; start++) {
    if (/^(apiVersion|kind): \S+$/.test(lines[start])) {
      const length = lines.slice(start).findIndex((line) => !/^(\s+\S|- |-$|[\w./-]+:( |$))/.test(line));
      const end = length === -1 ? lines.length : start + length;
      blocks.push(`${lines.slice(start, end).join('\n')}\n`);
      start = end;
    }
  }
  return blocks.filter((block) => /^apiVersion:/m.test(block) && /^kind:/m.test(block));
}

function said(text: string): string[] {
  const { diagnostics } = validateSources(readSources(['-'], () => text), { engine: OPERATOR_ENGINE, definitions: Definitions.PACKAGED });
  return diagnostics.map((diagnostic) => diagnosticLine(diagnostic, (words) => words).replace(/ v\d+\.\d+\.\d+;/, ';'));
}

/** What is said of a kind's manifests, in their order; of those that are not here nothing. */
const SAID: { readonly [apiVersionAndKind: string]: readonly string[] } = {
  // Fields of spec that stand next to it.
  'trainer.kubeflow.org/v1alpha1 TrainJob': [
    'standard input:7:1: TrainJob quick-experiment: runtimeRef: {"name":"torch-distributed-gpu"}: is not a field of a TrainJob. Move it below spec.',
    'standard input:9:1: TrainJob quick-experiment: trainer: {"image":"my-training:latest","numNodes":2}: is not a field of a TrainJob. Move it below spec.',
    'standard input:5:1: TrainJob quick-experiment: spec.runtimeRef: is required. Add it.',
  ],
  // A version that Kubeflow Trainer does not have.
  'trainer.kubeflow.org/v2alpha1 TrainJob': [
    'standard input:1:13: TrainJob pytorch-distributed: apiVersion: "trainer.kubeflow.org/v2alpha1": does not contain TrainJob in kubeflow-trainer; did you mean trainer.kubeflow.org/v1alpha1? '
      + 'If the cluster has another release, set its definitions (--crds).',
  ],
};

(existsSync(FOLDER) ? test : test.skip)('is accepted, or told what is wrong', () => {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.txt')).sort();
  const blocks = files.flatMap((file) => manifestsIn(readFileSync(path.join(FOLDER, file), 'utf8')));
  expect(blocks.length).toBeGreaterThanOrEqual(14);
  for (const block of blocks) {
    const key = ['apiVersion', 'kind'].map((field) => new RegExp(`^${field}: (\\S+)$`, 'm').exec(block)![1]).join(' ');
    // One of the texts has lost all indentation on its way.
    const isFlat = !/^ /m.test(block);
    expect([key, said(block)]).toEqual([key, isFlat ? [expect.stringContaining('the indentation')] : SAID[key] ?? []]);
  }
});
