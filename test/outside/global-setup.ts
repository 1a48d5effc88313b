import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { KUBECTL_VARIABLE, makeProject, pack, PROJECT_VARIABLE } from './support/project';
import { COMPONENT_NAMES, ControlPlane, resolveBinaries, resolveKubectl } from '../../src/local/control-plane';
import { kubeconfigVariable } from '../cluster/support/cluster';
import { CONTROLLERS } from '../cluster/support/controllers';

const log = (line: string) => console.error(`outside: ${line}`);

/**
 * Packs and installs the package once, and starts a control plane for each worker of jest: two files may apply the same objects.
 * Set TRAINYARD_OUTSIDE_PROJECT to the project of an earlier run to leave out packing and installing while you work on this suite.
 */
export default async function setUp({ maxWorkers }: { readonly maxWorkers: number }): Promise<void> {
  process.env.GOGC ??= '200';
  await resolveBinaries(COMPONENT_NAMES, { log });
  process.env[KUBECTL_VARIABLE] = await resolveKubectl({ log });
  if (process.env[PROJECT_VARIABLE] === undefined) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'outside-'));
    log('packing the package');
    const tarball = await pack(folder);
    log('installing it into a new project');
    process.env[PROJECT_VARIABLE] = path.join(folder, 'project');
    await makeProject(process.env[PROJECT_VARIABLE], tarball);
  }
  const controlPlanes = await Promise.all(Array.from({ length: maxWorkers }, start));
  globalThis.trainyardTestControlPlanes = controlPlanes;
  controlPlanes.forEach(({ kubeconfigPath }, index) => { process.env[kubeconfigVariable(index + 1)] = kubeconfigPath; });
}

async function start(): Promise<ControlPlane> {
  return ControlPlane.start({
    controllerManager: { controllers: CONTROLLERS },
    // For those who have Kubernetes 1.34 or 1.35, where it has to be switched on too.
    runtimeConfig: { 'admissionregistration.k8s.io/v1beta1': true },
    log,
    onUnexpectedExit: (name, lines) => log(`${name} ended during the tests; its last log lines:\n${lines}`),
  });
}
