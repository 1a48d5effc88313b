/** What keeps the platform true. */
import { chart, crds, part, since, unconfirmed } from '../sources';
import type { CatalogueComponent } from '../types';
import { luaScript } from '../../../programs/lua-script';
import { programText } from '../../../programs/program-text';

/**
 * Health of an Application. Argo CD has none built in since 1.8, and without it a wave does not wait for the one before. An Application that is new
 * counts as Healthy in its own status, because nothing of it is there to be unhealthy: so it is asked first whether it was synced at all.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/health/#argocd-app
 */
export const APPLICATION_HEALTH_LUA = luaScript(programText('argo-cd/health/application.lua'));

export const GITOPS_COMPONENTS: readonly CatalogueComponent[] = [
  {
    name: 'argo-cd',
    title: 'Argo CD',
    version: 'v3.5.2',
    parts: [part('argo-cd', chart('https://argoproj.github.io/argo-helm', 'argo-cd', '10.9.0'), {
      values: {
        configs: {
          cm: {
            'resource.customizations.health.argoproj.io_Application': APPLICATION_HEALTH_LUA,
            'application.resourceTrackingMethod': 'annotation',
            // For kustomizations that read charts.
            'kustomize.buildOptions': '--enable-helm',
          },
          // Sets of Applications that sync wave by wave.
          params: { 'applicationsetcontroller.enable.progressive.syncs': true },
        },
      },
    })],
    namespace: 'argocd',
    crds: crds('argoproj.io', 'applications', 'applicationsets', 'appprojects'),
    kubernetes: since('1.25', 'https://github.com/argoproj/argo-helm/blob/main/charts/argo-cd/Chart.yaml (of 7.7.14)'),
    pin: unconfirmed('https://github.com/entigolabs/entigo-infralib/pull/1729 (chart 10.9.0, when v3.5.2 was the latest release); the definitions of tests are of v3.5.1'),
  },
];
