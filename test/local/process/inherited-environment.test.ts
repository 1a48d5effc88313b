import { cleanEnvironment, inheritedEnvironment } from '../../../src/local/process/inherited-environment';

test('passes on what programs need', () => {
  const env = { PATH: '/venv/bin:/bin', HOME: '/home/me', VIRTUAL_ENV: '/venv', LD_LIBRARY_PATH: '/cuda', HF_TOKEN: 't', JAX_PLATFORMS: 'cpu' };
  expect(inheritedEnvironment(env)).toEqual(env);
});

test('keeps back what another launcher would tell a framework', () => {
  const env = {
    RANK: '7', WORLD_SIZE: '8', MASTER_ADDR: 'elsewhere', PET_NNODES: '3', TF_CONFIG: '{}', DMLC_ROLE: 'server', SLURM_PROCID: '1',
    OMPI_COMM_WORLD_RANK: '1', JAX_COORDINATOR_ADDRESS: 'x:1', KUBERNETES_SERVICE_HOST: '10.0.0.1', npm_config_cache: '/c', LANG: 'C',
  };
  expect(inheritedEnvironment(env)).toEqual({ LANG: 'C' });
});

test('keeps proxies and takes loopback out of them', () => {
  const inherited = inheritedEnvironment({ https_proxy: 'http://proxy:3128', NO_PROXY: 'internal.example, localhost' });
  expect(inherited.https_proxy).toBe('http://proxy:3128');
  expect(inherited.NO_PROXY).toBe('internal.example,localhost,127.0.0.1,::1');
  expect(inherited.no_proxy).toBe('127.0.0.1,localhost,::1');
});

test('adds nothing where there is no proxy', () => {
  expect(inheritedEnvironment({ LANG: 'C' })).toEqual({ LANG: 'C' });
});

test('a clean environment has no credentials, and what a program needs to start', () => {
  const kept = { PATH: '/bin', HOME: '/home/me', TMPDIR: '/tmp/me', LANG: 'C', LC_ALL: 'C', TZ: 'UTC', CUDA_VISIBLE_DEVICES: '1' };
  const env = { ...kept, GITHUB_TOKEN: 't', AWS_SECRET_ACCESS_KEY: 's', HF_TOKEN: 'h', KUBECONFIG: 'k', LD_PRELOAD: 'x.so', PATH_TO_KEY: 'p', RANK: '1' };
  expect(inheritedEnvironment(cleanEnvironment(env))).toEqual(kept);
});
