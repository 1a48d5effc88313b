/**
 * Kustomizations as folders, which is how Pulumi's provider reads them: the folder of the catalogue as the only resource, with patches over it. They
 * are in a folder of this process alone, which goes when it ends.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { PlannedKustomization } from '../../manifests/platform/plan';

let root: string | undefined;

/** Writes the folder of a kustomization. @returns its path */
export function writeKustomization(name: string, part: PlannedKustomization): string {
  if (root === undefined) {
    const made = mkdtempSync(path.join(tmpdir(), 'trainyard-kustomize-'));
    root = made;
    process.on('exit', () => rmSync(made, { recursive: true, force: true }));
  }
  const folder = path.join(root, name);
  mkdirSync(folder, { recursive: true });
  // JSON is YAML.
  writeFileSync(path.join(folder, 'kustomization.yaml'), `${JSON.stringify(kustomizationOf(part), undefined, 2)}\n`);
  return folder;
}

/** The file. @see https://kubectl.docs.kubernetes.io/references/kustomize/kustomization/ */
export function kustomizationOf({ source, patches }: PlannedKustomization): object {
  const { repository, path: folder, revision } = source;
  return {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [`${repository}//${folder}?ref=${revision}`],
    ...(patches.length > 0 && {
      patches: patches.map(({ target, patch }) => ({ ...(target !== undefined && { target }), patch: JSON.stringify(patch) })),
    }),
  };
}
