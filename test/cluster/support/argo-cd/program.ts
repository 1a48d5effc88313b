/** Argo CD's own program. One binary is all of its servers; a variable says which. */
import fs from 'node:fs';
import path from 'node:path';
import type { GoProgram } from '../upstream/go-program';

const MODULE = 'github.com/argoproj/argo-cd/v3';
const RELEASE = 'v3.5.3';

/** The module within the repository, and the version of the release's commit. */
const ENGINE = 'github.com/argoproj/argo-cd/gitops-engine';
const ENGINE_VERSION = 'v0.0.0-20260914071520-c9c369efcc5b';

/** Argo CD: of the minor version that the other tests have the definitions of, the release whose {@link ENGINE} is on the module proxy. */
export const ARGO_CD: GoProgram = {
  title: 'Argo CD',
  name: 'argo-cd',
  module: MODULE,
  release: RELEASE,
  main: './cmd',
  variable: 'TRAINYARD_ARGO_CD',
  linkerFlags: `-X ${MODULE}/common.version=${RELEASE.slice(1)}`,
  async change(sources, go) {
    // What the proxy has of Argo CD is not all of its repository: the module within it, which it replaces by that folder, is named by its version.
    await go('mod', 'edit', `-replace=${ENGINE}=${ENGINE}@${ENGINE_VERSION}`);
    // The controller serves its metrics on all addresses, and has no setting for that: where it names the address, it gets that of loopback.
    const controller = path.join(sources, 'controller', 'appcontroller.go');
    fs.writeFileSync(controller, fs.readFileSync(controller, 'utf8').replace('"0.0.0.0:%d", metricsPort', '"127.0.0.1:%d", metricsPort'));
  },
};
