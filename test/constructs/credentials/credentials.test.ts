import { Chart, Duration, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { Credentials, ManagedSecret, RemoteSecret, SecretManagerDriver, SecretStoreRef, type CredentialUse } from '../../../src';

const EXTERNAL = { store: SecretStoreRef.cluster('gcp'), keys: { HF_TOKEN: RemoteSecret.named('hugging-face') } };
const MANAGED = { project: 'ml-prod', secrets: { 'hugging-face': ManagedSecret.named('hugging-face') } };

interface Env { readonly name: string; readonly value?: string; readonly valueFrom?: object }

interface PodSpec {
  readonly containers: readonly [{ readonly env?: Env[]; readonly volumeMounts?: object[] }];
  readonly volumes?: object[];
}

/** What a container has of a use: variables and mounts with the sources of their volumes. */
function seen(use: CredentialUse) {
  const chart = Testing.chart();
  new kplus.Deployment(chart, 'D', {
    containers: [{ image: 'x', envVariables: use.variables, volumeMounts: use.mounts, securityContext: { ensureNonRoot: false } }],
  });
  const [{ spec }] = Testing.synth(chart) as [{ readonly spec: { readonly template: { readonly spec: PodSpec } } }];
  const { containers: [{ env = [], volumeMounts = [] }], volumes = [] } = spec.template.spec;
  return { env, volumeMounts, volumes };
}

/** Objects of the chart's kinds that are no workload. */
function objects(chart: Chart) {
  return Testing.synth(chart) as { readonly kind: string; readonly metadata: { readonly name: string }; readonly spec: object }[];
}

describe('a Secret that exists', () => {
  const hub = () => Credentials.secret(kplus.Secret.fromSecretName(Testing.chart(), 'Hub', 'hub'));

  test('its keys are variables', () => {
    expect(seen(hub().asEnvironment({ HF_TOKEN: 'token' }))).toEqual({
      env: [{ name: 'HF_TOKEN', valueFrom: { secretKeyRef: { name: 'hub', key: 'token' } } }], volumeMounts: [], volumes: [],
    });
  });

  test('its keys are files, whose paths can be variables', () => {
    expect(seen(hub().asFiles('/secrets/hub/', { variables: { HF_TOKEN_PATH: 'token' } }))).toEqual({
      env: [{ name: 'HF_TOKEN_PATH', value: '/secrets/hub/token' }],
      volumeMounts: [{ mountPath: '/secrets/hub/', name: 'credentials-hub', readOnly: true }],
      volumes: [{ name: 'credentials-hub', secret: { secretName: 'hub' } }],
    });
  });

  test('each use as files has a volume of its own, with a name that fits', () => {
    const long = Credentials.secret(kplus.Secret.fromSecretName(Testing.chart(), 'Long', `a.${'b'.repeat(200)}`));
    const names = [long.asFiles('/a'), long.asFiles('/b')].map(({ mounts }) => mounts[0].volume.name);
    expect(new Set(names).size).toBe(2);
    for (const name of names) {
      expect(name).toMatch(/^credentials-a-[-a-z0-9]{0,48}[a-z0-9]$/);
      expect(name.length).toBeLessThanOrEqual(63);
    }
  });

  test('without names of variables it is refused: nobody knows its keys', () => {
    expect(() => hub().asEnvironment()).toThrow('Credentials of Secret \'hub\': its keys are unknown at synth. List the variables: asEnvironment({ HF_TOKEN: \'token\' }).');
  });
});

describe('External Secrets', () => {
  test('by default, what stands in the ExternalSecret is the store and the keys', () => {
    const chart = Testing.chart();
    const hub = Credentials.externalSecret(chart, 'Hub', EXTERNAL);
    const [object] = objects(chart);
    expect(object).toEqual({
      apiVersion: 'external-secrets.io/v1',
      kind: 'ExternalSecret',
      metadata: { name: 'test-hub-c8bf59f7' },
      spec: {
        secretStoreRef: { kind: 'ClusterSecretStore', name: 'gcp' },
        target: { name: object.metadata.name },
        data: [{ secretKey: 'HF_TOKEN', remoteRef: { key: 'hugging-face' } }],
      },
    });
    expect(seen(hub.asEnvironment()).env).toEqual([{ name: 'HF_TOKEN', valueFrom: { secretKeyRef: { name: object.metadata.name, key: 'HF_TOKEN' } } }]);
  });

  test('with every option', () => {
    const chart = Testing.chart();
    const hub = Credentials.externalSecret(chart, 'Hub', {
      metadata: { name: 'hub', namespace: 'ml' },
      store: SecretStoreRef.namespaced('vault'),
      keys: { HF_TOKEN: RemoteSecret.named('ml/tokens', { property: 'hf', version: '3' }) },
      extract: [RemoteSecret.named('ml/all')],
      secretName: 'hub-tokens',
      refresh: Duration.minutes(15),
    });
    expect(objects(chart)).toEqual([{
      apiVersion: 'external-secrets.io/v1',
      kind: 'ExternalSecret',
      metadata: { name: 'hub', namespace: 'ml' },
      spec: {
        secretStoreRef: { kind: 'SecretStore', name: 'vault' },
        refreshInterval: '900s',
        target: { name: 'hub-tokens' },
        data: [{ secretKey: 'HF_TOKEN', remoteRef: { key: 'ml/tokens', property: 'hf', version: '3' } }],
        dataFrom: [{ extract: { key: 'ml/all' } }],
      },
    }]);
    expect(hub.existingSecret!.name).toBe('hub-tokens');
    expect(seen(hub.asEnvironment({ OTHER: 'other' })).env).toEqual([{ name: 'OTHER', valueFrom: { secretKeyRef: { name: 'hub-tokens', key: 'other' } } }]);
  });

  test('a key that is not there is refused', () => {
    const hub = Credentials.externalSecret(Testing.chart(), 'Hub', { ...EXTERNAL, metadata: { name: 'hub' } });
    expect(() => hub.asEnvironment({ HF_TOKEN: 'token' })).toThrow('Credentials of ExternalSecret \'hub\': variable HF_TOKEN: key \'token\' does not exist. Keys: HF_TOKEN.');
    expect(() => hub.asFiles('/x', { variables: { A: 'b' } })).toThrow('variable A: key \'b\' does not exist. Keys: HF_TOKEN.');
  });

  test('a key that is no variable has to be given a name', () => {
    const hub = Credentials.externalSecret(Testing.chart(), 'Hub', { store: SecretStoreRef.cluster('gcp'), keys: { 'hf-token': RemoteSecret.named('x') }, metadata: { name: 'hub' } });
    expect(() => hub.asEnvironment()).toThrow('key \'hf-token\' is not a valid variable name. Map it to a variable: asEnvironment({ HF_TOKEN: \'hf-token\' }).');
  });

  test('what breaks a rule is reported at synth', () => {
    const chart = Testing.chart();
    Credentials.externalSecret(chart, 'Hub', { store: SecretStoreRef.cluster('gcp'), metadata: { name: 'hub' } });
    expect(chart.node.findChild('Hub').node.validate()).toEqual([
      'ExternalSecret \'hub\': keys: {}: names no secret in the store. Set keys, or extract for secrets that are JSON objects.',
    ]);
  });
});

describe('Secret Manager', () => {
  test.each([undefined, SecretManagerDriver.GKE])('by default the add-on of GKE shows files of the newest versions: %s', (driver) => {
    const chart = Testing.chart();
    const hub = Credentials.secretManager(chart, 'Hub', { ...MANAGED, metadata: { name: 'hub' }, driver });
    expect(objects(chart)).toEqual([{
      apiVersion: 'secrets-store.csi.x-k8s.io/v1',
      kind: 'SecretProviderClass',
      metadata: { name: 'hub' },
      spec: {
        provider: 'gke',
        parameters: { secrets: '- resourceName: "projects/ml-prod/secrets/hugging-face/versions/latest"\n  path: "hugging-face"\n' },
      },
    }]);
    expect(hub.existingSecret).toBeUndefined();
    expect(seen(hub.asFiles('/secrets', { variables: { HF_TOKEN_PATH: 'hugging-face' } }))).toEqual({
      env: [{ name: 'HF_TOKEN_PATH', value: '/secrets/hugging-face' }],
      volumeMounts: [{ mountPath: '/secrets', name: 'credentials-hub', readOnly: true }],
      volumes: [{ name: 'credentials-hub', csi: { driver: 'secrets-store-gke.csi.k8s.io', readOnly: true, volumeAttributes: { secretProviderClass: 'hub' } } }],
    });
  });

  test('the open-source driver makes a Secret while the files are mounted, so variables bring the mount with them', () => {
    const chart = Testing.chart();
    const hub = Credentials.secretManager(chart, 'Hub', {
      project: 'ml-prod', driver: SecretManagerDriver.OPEN_SOURCE, secretName: 'hub-tokens', metadata: { name: 'hub' },
      secrets: { HF_TOKEN: ManagedSecret.named('hf', { version: '7', project: '123456789', location: 'europe-west4' }) },
    });
    expect(objects(chart)[0].spec).toEqual({
      provider: 'gcp',
      parameters: { secrets: '- resourceName: "projects/123456789/locations/europe-west4/secrets/hf/versions/7"\n  path: "HF_TOKEN"\n' },
      secretObjects: [{ secretName: 'hub-tokens', type: 'Opaque', data: [{ objectName: 'HF_TOKEN', key: 'HF_TOKEN' }] }],
    });
    expect(seen(hub.asEnvironment())).toEqual({
      env: [{ name: 'HF_TOKEN', valueFrom: { secretKeyRef: { name: 'hub-tokens', key: 'HF_TOKEN' } } }],
      volumeMounts: [{ mountPath: '/var/run/trainyard-credentials/hub', name: 'credentials-hub', readOnly: true }],
      volumes: [{ name: 'credentials-hub', csi: { driver: 'secrets-store.csi.k8s.io', readOnly: true, volumeAttributes: { secretProviderClass: 'hub' } } }],
    });
  });

  test('the add-on makes no variables', () => {
    const hub = Credentials.secretManager(Testing.chart(), 'Hub', { ...MANAGED, metadata: { name: 'hub' } });
    expect(() => hub.asEnvironment()).toThrow('Credentials of SecretProviderClass \'hub\': the GKE add-on shows secrets as files and does not create a Secret');
  });

  test('what breaks a rule is reported at synth', () => {
    const chart = Testing.chart();
    Credentials.secretManager(chart, 'Hub', { ...MANAGED, metadata: { name: 'hub' }, secretName: 'tokens' });
    expect(chart.node.findChild('Hub').node.validate()).toEqual([expect.stringMatching(/^SecretProviderClass 'hub': secretName: "tokens": is created only by the open-source driver/)]);
  });
});

test('what is made for credentials is as it was', () => {
  const chart = new Chart(Testing.app(), 'snapshot', { namespace: 'ml' });
  Credentials.externalSecret(chart, 'Hub', {
    metadata: { name: 'hub' }, store: SecretStoreRef.namespaced('vault'), keys: { HF_TOKEN: RemoteSecret.named('ml/tokens', { property: 'hf', version: '3' }) },
    extract: [RemoteSecret.named('ml/all')], secretName: 'hub-tokens', refresh: Duration.minutes(15),
  });
  Credentials.secretManager(chart, 'Managed', {
    metadata: { name: 'managed' }, project: 'ml-prod', driver: SecretManagerDriver.OPEN_SOURCE, secretName: 'managed-tokens',
    secrets: { HF_TOKEN: ManagedSecret.named('hf', { version: '7', location: 'europe-west4' }) },
  });
  expect(objects(chart)).toMatchSnapshot();
});
