/** The same objects through `kubectl kustomize`: what a team without cdk8s would run. */
import fs from 'node:fs';
import path from 'node:path';
import { runProcess, type ProcessRun } from './run-process';
import { findKubectl } from '../../src/local/control-plane';

/** Longest that one run may take. */
const LIMIT_MS = 2 * 60 * 1000;

/** kubectl, where this machine has one. */
export class Kustomize {
  /** What the tables call it: with the versions, or that it is missing. */
  public readonly title: string;

  public constructor(private readonly kubectl = findKubectl()) {
    this.title = kubectl === undefined ? 'kubectl kustomize: no kubectl on the PATH' : `kubectl kustomize (${versionOf(kubectl)})`;
  }

  public get isThere(): boolean {
    return this.kubectl !== undefined;
  }

  /** Builds the YAML files of a folder, which gets a kustomization.yaml. @returns undefined when it takes longer than {@link LIMIT_MS} */
  public build(folder: string): ProcessRun | undefined {
    if (this.kubectl === undefined) {
      throw new Error('kubectl kustomize: there is no kubectl');
    }
    const resources = fs.readdirSync(folder).filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml').sort();
    fs.writeFileSync(path.join(folder, 'kustomization.yaml'), `resources:\n${resources.map((name) => `- ${name}\n`).join('')}`);
    return runProcess(this.kubectl, ['kustomize', folder], LIMIT_MS);
  }
}

function versionOf(kubectl: string): string {
  const { stdout = '' } = runProcess(kubectl, ['version', '--client']) ?? {};
  return /Kustomize Version: (\S+)/.exec(stdout)?.[1] ?? 'of an unknown version';
}
