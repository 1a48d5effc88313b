/** docs/platform/README.md, written from the catalogue and its rules. */
import { App, Yaml } from 'cdk8s';
import { ComponentName, Delivery, KubeflowPlatform, PlatformComponent, PlatformEnvironment } from '../../src/constructs/platform';
import { CATALOGUE_GROUPS, component, conflictsOf } from '../../src/model/catalogue/catalogue';
import { COMPATIBILITY_RULES } from '../../src/model/catalogue/compatibility';
import { PRESET_NAMES, presetComponents } from '../../src/model/catalogue/presets';
import { resolveComponents } from '../../src/model/catalogue/resolve';
import type { CatalogueComponent, ComponentPart } from '../../src/model/catalogue/types';

/** Renders the page. */
export function platformPage(): string {
  return `<!-- Written by \`npm run docs\` from src/model/catalogue. Change the model or scripts/docs/platform-page.ts, not this file. -->
# Platform

\`KubeflowPlatform\` is a machine-learning platform from chosen components: versions that fit each other, an order in which they can be installed, and the settings that they
share. Argo CD, Flux or a script brings it into the cluster. Synth needs no network: charts and folders of others are named, at versions that do not move, and not read.

\`\`\`ts
${SMALLEST_PROGRAM}\`\`\`

\`\`\`yaml
${smallestYaml()}\`\`\`

Leaving out JobSet ends the synth:

\`\`\`console
KubeflowPlatform 'ml': components.trainer: "jobset": is needed but missing. Add 'jobset'.
\`\`\`

## Components

| \`PlatformPreset.\` | What it is | Components on kind, wave by wave |
|---|---|---|
${PRESET_NAMES.map(presetRow).join('\n')}

\`components\` adds to a preset and gives settings to what is in it, \`without\` leaves out, \`existing\` says what the cluster has from somebody else. On GKE, presets
install nothing for GPUs: GKE has drivers, device plugin and [exporter](../operator/monitoring.md#gpus). Elsewhere they install NVIDIA's GPU operator. All else of a program is the same in every \`environment\`. The identity provider and the mesh of the platform take the places of Dex and Istio.

\`\`\`ts
new KubeflowPlatform(chart, 'ml', {
  environment: PlatformEnvironment.OTHER,
  preset: PlatformPreset.TRAINING,
  kubernetesVersion: '1.36',
  components: [
    PlatformComponent.kueue({ fairSharing: true, waitForPodsReady: Duration.minutes(10) }),
    PlatformComponent.trainingOperator({ replicas: 3, monitoring: true }),
    PlatformComponent.of(ComponentName.VOLCANO, { version: '1.15.1', values: { custom: { scheduler_replicas: 2 } } }),
  ],
  without: [ComponentName.GPU_OPERATOR, ComponentName.NODE_FEATURE_DISCOVERY],
  existing: [{ name: ComponentName.CERT_MANAGER, version: 'v1.18.2' }],
  delivery: Delivery.argoCd({ repository: 'https://github.com/example/platform.git' }),
});
\`\`\`

- Components with options of their own have a factory (\`kserve\`, \`trainer\`, \`kueue\`, \`kubeRay\`, \`sparkOperator\`, \`gpuOperator\`, \`kubePrometheusStack\`, \`loki\`, \`fluentBit\`,
  \`elasticStack\`, \`trivyOperator\`, \`clusterAutoscaler\`, \`trainingOperator\`); \`PlatformComponent.of\` is any of them.
- With any option, or next to the training operator, Kueue gets a complete configuration with the feature gates that its integrations need. Values with which it would not
  start are rejected.
- \`values\` are laid over everything that the platform sets; \`patches\` are for components that are kustomizations, and \`part\` says which of several.
- \`platform.warnings\` has what is not certain, \`platform.waves\` the order, \`platform.builtIn\` what the environment has already.

## What components share

| Option | Choices | What it changes |
|---|---|---|
| \`artifactStore\` | \`ArtifactStore.inCluster()\`, \`.gcs(bucket)\`, \`.s3(bucket, { region })\`, \`.minio(bucket, { endpoint, secretName })\` | root and store of Pipelines, artifacts of steps, MLflow |
| \`database\` | \`MetadataDatabase.mysqlInCluster()\`, \`.mysql(host)\`, \`.cloudSql('PROJECT:REGION:INSTANCE')\` | Pipelines; Cloud SQL brings a proxy, and MySQL in the cluster goes |
| \`identity\` | \`IdentityProvider.dex({ connectors, secretName })\`, \`.iap({ audience })\` | who signs in, and the headers that Kubeflow's applications read |
| \`mesh\` | \`ServiceMesh.ISTIO\`, \`.MANAGED\` (GKE) | Istio of ours, or Cloud Service Mesh with an ingress gateway |
| \`domain\` | \`{ host, tls }\` with \`PlatformTls.issuer(name)\`, \`.secret(name)\`, \`.selfSigned()\`, \`.certificateMap(name)\`, \`.none()\` | the gateway's servers and certificate, KServe's domain, secure cookies |

Dex's issuer is \`https://HOST/dex\`. Register \`https://HOST/dex/callback\` as redirect URI at the identity provider; Dex rejects any other. With only connectors that have a password form of
Dex (\`ldap\`, \`keystone\`, \`atlassian-crowd\`), the issuer is Dex's address in the cluster, as upstream. Tested by hand on 2026-11-29: a sign-in through Dex 2.45.1, oauth2-proxy 7.15.2 and a
second Dex as the identity provider.

Upstream's profile controller hard-codes the store in the cluster. With another \`artifactStore\`, a small Python program wraps it, and writes the bucket into the ConfigMaps
\`kfp-launcher\` and \`artifact-repositories\` of each profile, with the folder \`private-artifacts/NAMESPACE\`. Existing ConfigMaps do not change: delete both once in existing profiles. Runs
access the bucket as \`default-editor\` of the profile, or with the keys of \`secretName\`. Checked on 2026-11-29 with the controller, the launcher's code and the API server of Kubeflow
Pipelines 2.16.0.

Components also follow from each other: Kueue leaves jobs of our operator to it (\`externalFrameworks\`), Fluent Bit writes to Loki or to Elasticsearch, whichever is there, Grafana knows
Loki, KServe has routes and modes for the gateways that are there, and Trainer brings no second JobSet or LeaderWorkerSet.

Secrets are never in the output. Somebody else makes them, an [\`ExternalSecret\`](../security/credentials.md) for example:

| Secret | Namespaces | Keys |
|---|---|---|
| \`secretName\` of \`IdentityProvider.dex\` | \`auth\`, \`oauth2-proxy\` | \`client-id\`, \`client-secret\`, \`cookie-secret\` |
| those of \`DexConnector\` | \`auth\` | as the program names them |
| \`mysql-secret\`, for a database outside of the cluster | \`kubeflow\` | \`username\`, \`password\` |
| \`secretName\` of a bucket | \`kubeflow\` and each profile's | \`accesskey\`, \`secretkey\` |

Kubeflow publishes a user with a password and the secret that signs cookies. They are kept on kind; anywhere else a platform with Dex is refused until the program names others.

## Delivery

| | \`Delivery.argoCd(...)\` | \`Delivery.flux(...)\` | \`Delivery.kustomization()\` |
|---|---|---|---|
| A component is | an Application with a source for each of its parts | a Kustomization that applies HelmReleases, Kustomizations and objects | a folder with a \`kustomization.yaml\` |
| Order | sync waves, or steps of an ApplicationSet (\`layout\`) | \`dependsOn\`, ready when all of a component is | \`apply.sh\`, which waits for definitions and Deployments |
| Applied once by hand | \`kubectl apply --server-side -f manifests/NAME-platform.k8s.yaml\` | \`kubectl apply -f manifests/NAME-platform/\` | \`NAME/apply.sh\` |
| Files | one a chart, or a folder a chart | a folder a chart: \`YamlOutputType.FOLDER_PER_CHART_FILE_PER_RESOURCE\` | \`platform.writeKustomization()\` |
| What left the program | is deleted (\`prune: false\` keeps it) | is deleted (\`prune: false\` keeps it) | stays |

- Waves follow from what components need. A component is in the first wave in which all of that is in earlier ones.
- Applications are applied on the server's side, tried again ten times with growing pauses, and have \`ignoreDifferences\` for fields that controllers write: certificate authorities of
  webhooks, Secrets of certificates, rules of aggregated roles, replicas under an autoscaler. Flux leaves the same fields alone (\`driftDetection\`).
- Files are committed to \`path\`, \`manifests\` by default: write them there with \`output: manifests\` in \`cdk8s.yaml\`. Projects of \`cdk8s init\` have \`dist\` in their \`.gitignore\`.
- The root Application of Argo CD syncs all Applications, and also the file that was applied by hand: projects, customizations and itself. A new team, namespace or repository is a commit,
  and nothing is applied again. Deleting the root deletes Applications; projects and customizations stay.
- Definitions and namespaces that this library writes stay in the cluster when they leave the program, with everything that they hold (\`Prune=false,Delete=false\`; for Flux
  \`kustomize.toolkit.fluxcd.io/prune: disabled\`). Argo CD shows such an Application as OutOfSync until somebody deletes them.
- \`NAME\` is the AppProject of the components: it allows their repositories, and cluster-wide objects of every kind, because operators install such. \`NAME-charts\` is that of \`charts\`:
  your repository alone; no namespace of the system, of Argo CD or of components; and of objects without a namespace only Namespaces, queues, priority classes, admission policies, profiles and
  the kinds that the charts contain.
- An object of a kind that the cluster does not have (\`ClusterQueue\` without Kueue) fails by itself and is tried again; the rest of its Application is applied (\`SkipDryRunOnMissingResource\`).
- Waves of Applications wait for each other only if Argo CD knows the health of an Application, and sets of them only with progressive syncs. The component \`argo-cd\` sets both; for another
  Argo CD they are \`resource.customizations.health.argoproj.io_Application\` of \`argocd-cm\` and \`applicationsetcontroller.enable.progressive.syncs\` of \`argocd-cmd-params-cm\`.
- Objects that the program writes itself (our operator, issuers, IAP, the database's proxy) are charts of their own beside the platform, \`NAME-COMPONENT\`, and come from your repository.
- \`charts\` are the program's own, behind the components and in their order: teams, then [jobs](gitops.md#from-a-commit-to-a-finished-job). \`platform.chart(name)\` takes their objects.

### Private repositories

Argo CD reads a private repository with a Secret in its own namespace that has the label \`argocd.argoproj.io/secret-type: repository\` and the keys \`type: git\`, \`url\`, and \`username\` and \`password\`
(HTTPS) or \`sshPrivateKey\` (SSH). Flux is told the name of a Secret with \`username\` and \`password\`, or \`identity\` and \`known_hosts\`. Without it, the first sync ends with \`authentication required\`.
External Secrets can create the Secret from a store:

\`\`\`ts
Delivery.argoCd({
  repository: 'https://github.com/example/platform.git',
  credentials: RepositoryCredentials.externalSecret({ store: SecretStoreRef.cluster('secret-manager'), password: RemoteSecret.named('platform-repository-token') }),
});
\`\`\`

The ExternalSecret is in the file that is applied by hand, so External Secrets and the store have to be there first. \`RepositoryCredentials.existing('platform-git')\` is for a Secret that is created
otherwise, by \`argocd repo add\` or \`flux create secret git\`. Tokens never go into the program or into the URL.

## What is checked

- A component that another one needs, a component for another environment, two that stand for the same (two meshes, two sign-ins, two stores of lines), two that bring the same definition,
  a circle: errors.
- A release of Kubernetes before the oldest that a component works on is an error where its authors say so, and a warning where that is not certain.
- Monitoring of our operator without Prometheus, and a cluster autoscaler that knows no groups of nodes: errors.
- A version of a chart that no source at hand confirms is a warning, until the program gives one.
- Pairs of versions. Versions that the program gives are those of charts and tags; pairs are looked up by what the catalogue and \`existing\` say:

| Pair | | Why | Source |
|---|---|---|---|
${COMPATIBILITY_RULES.map(ruleRow).join('\n')}

## Catalogue

Versions are those that this library is tested against (definitions) or that Kubeflow ${component('kubeflow-base').version} pairs. ? behind a version: no source at hand says that just this chart was published.

${CATALOGUE_GROUPS.map(([title, components]) => `### ${title}\n\n| Component | Version | From | Namespaces | Definitions | Needs | Not with | Kubernetes |\n|---|---|---|---|---|---|---|---|\n${components.map(componentRow).join('\n')}`).join('\n\n')}

Examples: [on kind, with a script](../../examples/kubeflow-local/README.md), [on GKE, with Argo CD](../../examples/kubeflow-gke/README.md).
`;
}

/** The first program of the page. */
export const SMALLEST_PROGRAM = `import { App } from 'cdk8s';
import { ComponentName, Delivery, KubeflowPlatform, PlatformComponent, PlatformEnvironment } from 'trainyard/platform';

const app = new App();

new KubeflowPlatform(app, 'ml', {
  environment: PlatformEnvironment.KIND,
  components: [PlatformComponent.of(ComponentName.JOBSET), PlatformComponent.trainer()],
  delivery: Delivery.argoCd({ repository: 'https://github.com/example/platform.git' }),
});

app.synth();
`;

/** What it writes, by the names of its files. A test of all snippets runs the text, so that the two do not drift. */
/** As `test/support/snippets.ts` reads it. */
const LONGEST_TEXT = 120;

function smallestYaml(): string {
  const app = new App();
  new KubeflowPlatform(app, 'ml', {
    environment: PlatformEnvironment.KIND,
    components: [PlatformComponent.of(ComponentName.JOBSET), PlatformComponent.trainer()],
    delivery: Delivery.argoCd({ repository: 'https://github.com/example/platform.git' }),
  });
  const charts = [...app.charts].sort((a, b) => (`${a.node.id}.` < `${b.node.id}.` ? -1 : 1));
  // Scripts for Argo CD have a page of their own.
  const withoutLongTexts = JSON.stringify(charts.flatMap((chart) => chart.toJson() as object[]), (_key, value: unknown) => (
    typeof value === 'string' && value.length > LONGEST_TEXT ? '...' : value));
  return `# Long texts are '...'.\n${Yaml.stringify(...JSON.parse(withoutLongTexts) as object[])}`;
}

const PRESETS: { readonly [preset: string]: string } = {
  training: 'jobs, queues, monitoring', serving: 'model servers without Knative', full: 'everything', local: 'Kubeflow on one machine',
};

function presetRow(preset: (typeof PRESET_NAMES)[number]): string {
  const components = presetComponents(preset, { environment: 'kind', identity: 'dex', mesh: 'istio' });
  const { waves } = resolveComponents({ components, environment: 'kind' });
  return `| \`${preset.toUpperCase()}\` | ${PRESETS[preset]} | ${waves.map((wave) => wave.join(', ')).join(' → ')} |`;
}

function ruleRow({ between, severity, reason, fix, source, whenVersionsDiffer = false }: (typeof COMPATIBILITY_RULES)[number]): string {
  const range = ({ component: name, from, before }: (typeof between)[number]) => [name, from && `≥ ${from}`, before && `< ${before}`].filter((part) => part !== undefined).join(' ');
  return `| ${between.map(range).join(' and ')}${whenVersionsDiffer ? ', of two versions' : ''} | ${severity} | ${reason}. ${fix} | ${link(source)} |`;
}

function componentRow(entry: CatalogueComponent): string {
  const { name, title, version, parts, namespace, otherNamespaces = [], crds, needs = [], kubernetes, builtInto = [], onlyIn, pin } = entry;
  const where = [...builtInto.map((environment) => `built into ${environment}`), ...(onlyIn === undefined ? [] : [`only ${onlyIn.environments.join(', ')}`])];
  const range = kubernetes && [`≥ ${kubernetes.from}${kubernetes.confirmed ? '' : ' ?'}`, kubernetes.testedTo && `tested to ${kubernetes.testedTo}`].filter((part) => part !== undefined).join(', ');
  return `| \`${name}\`: ${[title, ...where].join('; ')} | ${version}${pin.confirmed ? '' : ' ?'} | ${origins(parts)} | ${[namespace, ...otherNamespaces].join(', ')} | ${definitions(crds)} | ${needs.join(', ')} | ${conflictsOf(entry).join(', ')} | ${range ?? ''} |`;
}

/** Groups, with how many kinds of each. */
function definitions(crds: readonly string[]): string {
  const groups = crds.map((crd) => crd.slice(crd.indexOf('.') + 1));
  return [...new Set(groups)].map((group) => `${group} (${groups.filter((each) => each === group).length})`).join(', ');
}

/** Charts by name and version, folders of one repository at once. */
function origins(parts: readonly ComponentPart[]): string {
  const texts = parts.map(({ source }) => {
    switch (source.kind) {
      case 'helm': return `chart \`${source.chart}\` ${source.version}`;
      case 'git': return `[${source.repository.replace('https://github.com/', '')}](${source.repository}/tree/${source.revision}) ${source.revision}`;
      case 'program': return 'this library';
    }
  });
  return [...new Set(texts)].join(', ');
}

function link(source: string): string {
  return `[${source.replace(/^https:\/\/(github\.com\/)?/, '').replace(/\/blob\/.*$|\/tree\/.*$/, '').slice(0, 60)}](${source})`;
}
