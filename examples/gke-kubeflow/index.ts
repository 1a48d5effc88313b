import { Config, getStack } from '@pulumi/pulumi';
import { App, Chart } from 'cdk8s';
import { TrainingOperator } from 'trainyard';
import { KubeflowOnGkeStack, type KubeflowOnGkeStackArgs } from 'trainyard/stacks';

// What differs between dev, qa, stress and prod stands in Pulumi.STACK.yaml; what all of them have stands here.
const config = new Config();

const operator = new Chart(new App(), 'operator');
new TrainingOperator(operator, 'TrainingOperator');

// A cookie secret and the client of Dex, for Dex in the namespace auth and for the proxy in front of the applications.
const SIGN_IN = 'kubeflow-sign-in';
const signIn = {
  'client-id': 'kubeflow', 'client-secret': config.requireSecret('dexClientSecret'), 'cookie-secret': config.requireSecret('cookieSecret'),
};

const platform = config.requireObject<Pick<KubeflowOnGkeStackArgs['platform'], 'preset' | 'without' | 'components' | 'kubernetesVersion'>>('platform');
const host = config.require('host');

const stack = new KubeflowOnGkeStack('kubeflow', {
  location: config.require('location'),
  cluster: config.requireObject<NonNullable<KubeflowOnGkeStackArgs['cluster']>>('cluster'),
  pools: config.requireObject<NonNullable<KubeflowOnGkeStackArgs['pools']>>('pools'),
  database: {
    ...config.requireObject<Pick<KubeflowOnGkeStackArgs['database'], 'tier' | 'edition' | 'highAvailability' | 'deletionProtection' | 'backups'>>('database'),
    password: config.requireSecret('databasePassword'),
  },
  artifacts: { forceDestroy: getStack() !== 'prod', retention: [{ prefix: 'private-artifacts/', deleteAfterDays: config.requireNumber('artifactDays') }] },
  profiles: config.requireObject<string[]>('profiles'),
  platform: {
    ...platform,
    identity: {
      kind: 'dex',
      secretName: SIGN_IN,
      connectors: [{
        id: 'google', type: 'google', name: 'Google',
        config: { clientID: config.require('googleClientId'), clientSecret: '$GOOGLE_CLIENT_SECRET', redirectURI: `https://${host}/dex/callback` },
        secrets: { GOOGLE_CLIENT_SECRET: { secretName: 'google-client', key: 'secret' } },
      }],
    },
    domain: { host, tls: { kind: 'issuer', name: 'letsencrypt', issuerKind: 'ClusterIssuer' } },
    charts: { 'training-operator': operator },
    secrets: [
      { name: SIGN_IN, namespace: 'auth', data: signIn },
      { name: SIGN_IN, namespace: 'oauth2-proxy', data: signIn },
      { name: 'google-client', namespace: 'auth', data: { secret: config.requireSecret('googleClientSecret') } },
    ],
  },
  // The issuer that signs the certificate of the domain.
  charts: {
    issuer: {
      chart: [{
        apiVersion: 'cert-manager.io/v1', kind: 'ClusterIssuer', metadata: { name: 'letsencrypt' },
        spec: {
          acme: {
            email: config.require('email'), server: 'https://acme-v02.api.letsencrypt.org/directory', privateKeySecretRef: { name: 'letsencrypt' },
            solvers: [{ http01: { ingress: { ingressClassName: 'istio' } } }],
          },
        },
      }],
    },
    // One profile for each namespace of the configuration; its controller makes the namespace and the account default-editor.
    profiles: {
      chart: config.requireObject<string[]>('profiles').map((name) => ({
        apiVersion: 'kubeflow.org/v1', kind: 'Profile', metadata: { name }, spec: { owner: { kind: 'User', name: config.require('email') } },
      })),
    },
  },
  labels: { environment: getStack() },
});

export const cluster = stack.base.cluster.name;
export const artifacts = stack.artifacts;
export const database = stack.database.connectionName;
