/** What keeps the platform true. */
import { chart, crds, part, unconfirmed } from '../sources';
import type { CatalogueComponent } from '../types';

/**
 * Health of an Application. Argo CD has none built in since 1.8, and without it a wave does not wait for the one before.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/health/#argocd-app
 */
export const APPLICATION_HEALTH_LUA = [
  'local health = { status = "Progressing", message = "" }',
  'if obj.status ~= nil and obj.status.health ~= nil then',
  '  health.status = obj.status.health.status',
  '  if obj.status.health.message ~= nil then',
  '    health.message = obj.status.health.message',
  '  end',
  'end',
  'return health',
  '',
].join('\n');

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
    pin: unconfirmed('https://github.com/entigolabs/entigo-infralib/pull/1729 (chart 10.9.0, when v3.5.2 was the latest release); the definitions of tests are of v3.5.1'),
  },
];
