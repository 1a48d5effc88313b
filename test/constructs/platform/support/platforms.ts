/** Platforms for tests: every preset in every place, with every delivery. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App, YamlOutputType } from 'cdk8s';
import { loadAll } from 'js-yaml';
import {
  ArgoCdLayout, ArtifactStore, Delivery, DexConnector, IdentityProvider, KubeflowPlatform, MetadataDatabase, PlatformEnvironment, PlatformPreset,
  PlatformTls, ServiceMesh, type KubeflowPlatformProps,
} from '../../../../src/constructs/platform';

/** Any object. */
export interface AnyObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string; readonly namespace?: string; readonly annotations?: { readonly [name: string]: string }; readonly [field: string]: unknown;
  };
  // Tests look into objects of all kinds.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly [field: string]: any;
}

/** The repository that everything is committed to. */
export const REPOSITORY = 'https://github.com/example/platform.git';

/** Deliveries, by name. */
export const DELIVERIES: { readonly [name: string]: Delivery } = {
  'Argo CD, Applications': Delivery.argoCd({ repository: REPOSITORY }),
  'Argo CD, an ApplicationSet': Delivery.argoCd({ repository: REPOSITORY, layout: ArgoCdLayout.APPLICATION_SET }),
  'Flux': Delivery.flux({ repository: REPOSITORY }),
  'kustomize': Delivery.kustomization(),
};

/** What sign-in needs outside of kind. */
export const COMPANY = IdentityProvider.dex({
  secretName: 'platform-oidc',
  connectors: [DexConnector.oidc('company', {
    issuer: 'https://login.example.com', clientId: 'dex', clientSecret: { secretName: 'company', key: 'client-secret' },
  })],
});

/** IAP in front of a platform. */
export const IAP = IdentityProvider.iap({ audience: '/projects/1234/global/backendServices/5678', hostedDomain: 'example.com' });

/** Places, by name, with what a platform with sign-in needs there; presets without sign-in leave it away. */
export const PLACES: { readonly [name: string]: Omit<KubeflowPlatformProps, 'delivery'> } = {
  'kind': { environment: PlatformEnvironment.KIND },
  'another cluster': { environment: PlatformEnvironment.OTHER, identity: COMPANY, domain: { host: 'ml.example.com', tls: PlatformTls.issuer('letsencrypt') } },
  'GKE with Dex': { environment: PlatformEnvironment.GKE, identity: COMPANY, domain: { host: 'ml.example.com', tls: PlatformTls.secret('ml-tls') } },
  'GKE with IAP': {
    environment: PlatformEnvironment.GKE, identity: IAP, mesh: ServiceMesh.MANAGED, domain: { host: 'ml.example.com', tls: PlatformTls.certificateMap('ml') },
  },
};

/** Store and database outside of the cluster, for presets that use them: they bring more objects. */
export const ARTIFACTS: { readonly [preset: string]: Partial<KubeflowPlatformProps> } = {
  [PlatformPreset.FULL]: { artifactStore: ArtifactStore.gcs('team-artifacts'), database: MetadataDatabase.cloudSql('my-project:europe-west4:kfp') },
  [PlatformPreset.LOCAL]: { artifactStore: ArtifactStore.minio('artifacts', { endpoint: 'minio.storage:9000', secretName: 'minio', tls: false }) },
};

/** Presets. */
export const PRESETS = [PlatformPreset.TRAINING, PlatformPreset.SERVING, PlatformPreset.FULL, PlatformPreset.LOCAL];

/** Everything that a platform writes. */
export interface SynthesizedPlatform {
  readonly platform: KubeflowPlatform;
  /** Objects by the file that they are in. */
  readonly files: ReadonlyMap<string, readonly AnyObject[]>;
  readonly objects: readonly AnyObject[];
}

/** An app that writes a folder for each chart, as Flux needs it. */
export function folderApp(): App {
  return new App({ outdir: mkdtempSync(path.join(tmpdir(), 'trainyard-platform-')), yamlOutputType: YamlOutputType.FOLDER_PER_CHART_FILE_PER_RESOURCE });
}

/** Synthesizes a platform, into files of charts or, for Flux, folders. */
export function synthesize(props: KubeflowPlatformProps, folders = props.delivery._flux !== undefined): SynthesizedPlatform {
  const app = folders ? folderApp() : new App({ outdir: mkdtempSync(path.join(tmpdir(), 'trainyard-platform-')) });
  try {
    const platform = new KubeflowPlatform(app, 'Platform', props);
    app.synth();
    const names = readdirSync(app.outdir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml')).sort();
    const files = new Map(names.map((name) => [name, loadAll(readFileSync(path.join(app.outdir, name), 'utf8')) as AnyObject[]]));
    return { platform, files, objects: [...files.values()].flat() };
  } finally {
    rmSync(app.outdir, { recursive: true, force: true });
  }
}

/** Props of a preset in a place. */
export function propsOf(preset: PlatformPreset, place: string, delivery: Delivery): KubeflowPlatformProps {
  const { identity, domain, ...rest } = PLACES[place];
  const signIn = preset === PlatformPreset.FULL || preset === PlatformPreset.LOCAL ? { identity, domain } : {};
  return { ...rest, ...signIn, preset, delivery };
}
