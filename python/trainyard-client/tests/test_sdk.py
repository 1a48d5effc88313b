"""Programs in the shapes of the Kubeflow SDK's examples, with the SDK and with only the import changed: both print the same."""

import contextlib
import importlib.util
import io
import os
import re
import tempfile
import unittest
from pathlib import Path

from fake_api import FakeApi, runtime
from support import kubeconfig, module_from
from trainyard_client import InvalidArgument, JobFailed

EXAMPLES = sorted((Path(__file__).parent / 'sdk_examples').glob('*.py'))
HAS_SDK = importlib.util.find_spec('kubeflow') is not None


def run(example, package):
    """What an example prints, and the API server afterwards."""
    api = FakeApi(logs=('step 1', 'step 2'))
    for each in (runtime(), runtime('team-torch', image='team/torch:1', nodes=4)):
        api.put(f'/apis/trainer.kubeflow.org/v1alpha1/clustertrainingruntimes/{each["metadata"]["name"]}', each)
    file = kubeconfig(api.url)
    try:
        module = module_from(example.read_text().replace('kubeflow.trainer', package), f'example_{example.stem}_{package.split(".")[0]}')
        trainer = importlib.import_module(package)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            module.main(trainer.KubernetesBackendConfig(namespace='ml', config_file=file))
        return re.sub(r'^name .*', 'name NAME', said.getvalue(), flags=re.M), api
    finally:
        os.remove(file)
        api.close()


class Examples(unittest.TestCase):
    def test_there_are_examples(self):
        self.assertGreaterEqual(len(EXAMPLES), 6)


def add(example):
    def ours(self):
        said, api = run(example, 'trainyard_client.trainer')
        self.assertTrue(said)
        self.assertFalse([path for path in api.objects if '/trainjobs/' in path])

    @unittest.skipUnless(HAS_SDK, 'the package kubeflow is not installed')
    def both(self):
        theirs, api = run(example, 'kubeflow.trainer')
        self.assertFalse(api.jobs())
        self.assertEqual(run(example, 'trainyard_client.trainer')[0], theirs)

    setattr(Examples, f'test_{example.stem}_with_the_import_changed', ours)
    setattr(Examples, f'test_{example.stem}_prints_the_same_with_the_sdk', both)


for each in EXAMPLES:
    add(each)


class Jobs(unittest.TestCase):
    """What becomes of an SDK's arguments."""

    def test_arguments(self):
        _, api = run(Path(__file__).parent / 'sdk_examples' / 'arguments.py', 'trainyard_client.trainer')
        [job] = api.jobs().values()
        spec = job['spec']
        self.assertEqual(
            {name: spec[name] for name in ('framework', 'image', 'replicas', 'resources', 'env')},
            {
                'framework': 'pytorch',
                'image': 'torch:1',
                'replicas': 3,
                'resources': {'cpu': '4', 'memory': '16Gi', 'gpu': 2},
                'env': [{'name': 'NCCL_DEBUG', 'value': 'INFO'}],
            },
        )
        # As in Kubeflow Trainer: one process for each GPU, else for each CPU.
        self.assertNotIn('nprocPerNode', spec)

    def test_options(self):
        _, api = run(Path(__file__).parent / 'sdk_examples' / 'container.py', 'trainyard_client.trainer')
        job = api.jobs()['digits-container']
        self.assertEqual(
            job['spec'],
            {
                'framework': 'pytorch',
                'image': 'registry.example/digits:1',
                'replicas': 2,
                'command': ['python', 'train.py'],
                'args': ['--epochs', '3'],
                'runPolicy': {'activeDeadlineSeconds': 3600},
                'env': [{'name': 'EPOCHS', 'value': '3'}],
            },
        )
        self.assertEqual(job['metadata']['labels'], {'team': 'vision'})
        self.assertEqual(job['metadata']['annotations'], {'ticket': '12', 'ml.collabnix.io/client-runtime': 'torch-distributed'})

    def test_resources_of_partitions_and_other_devices(self):
        from trainyard_client.trainer.client import _resources

        self.assertEqual(
            _resources({'mig-1g.5gb': 1, 'storage': '1Gi', 'rdma/hca': 8}),
            {'gpu': 1, 'gpuResourceName': 'nvidia.com/mig-1g.5gb', 'ephemeralStorage': '1Gi', 'extended': {'rdma/hca': '8'}},
        )

    def test_what_the_operator_does_not_have_is_an_import_error_that_says_why(self):
        for statement, word in (
            ('from trainyard_client.trainer import BuiltinTrainer', 'no built-in trainers'),
            ('from trainyard_client.trainer import Initializer', 'no initializers'),
            ('from trainyard_client.trainer.options import RuntimePatch', 'no JobSets to patch'),
            ('from trainyard_client.trainer import Nothing', 'Nothing'),
        ):
            with self.subTest(word), self.assertRaises(ImportError) as caught:
                exec(statement)
            self.assertIn(word, str(caught.exception))

    @unittest.skipUnless(HAS_SDK, 'the package kubeflow is not installed')
    def test_every_name_of_the_sdk_is_there_or_refused_with_a_reason(self):
        import kubeflow.trainer
        import trainyard_client.trainer as ours

        for name in kubeflow.trainer.__all__:
            try:
                getattr(ours, name)
            except ImportError as error:
                self.assertIn(f'trainyard_client.trainer has no {name}: ', str(error))

    def test_a_cluster_without_kubeflow_has_the_built_in_runtimes(self):
        from trainyard_client.trainer import KubernetesBackendConfig, TrainerClient

        api = FakeApi()
        self.addCleanup(api.close)
        file = kubeconfig(api.url)
        self.addCleanup(os.remove, file)
        client = TrainerClient(KubernetesBackendConfig(config_file=file))
        for code in (404, 403):
            api.refuse = lambda method, path, query, body, code=code: (code, 'page not found')
            self.assertEqual(
                [each.name for each in client.list_runtimes()],
                ['torch-distributed', 'jax-distributed', 'deepspeed-distributed', 'xgboost-distributed', 'plain'],
            )

    def test_local_processes(self):
        from trainyard_client.trainer import CustomTrainer, LocalProcessBackendConfig, TrainerClient

        def train(word):
            import os

            print(word, os.environ['RANK'])

        def fail():
            raise ValueError('broken')

        client = TrainerClient(LocalProcessBackendConfig())
        name = client.train(trainer=CustomTrainer(func=train, func_args={'word': 'hi'}, num_nodes=2))
        self.assertEqual(client.wait_for_job_status(name, polling_interval=1).status, 'Complete')
        self.assertEqual(list(client.get_job_logs(name, step='node-1')), ['hi 1'])
        self.assertEqual([job.name for job in client.list_jobs()], [name])
        client.delete_job(name)
        self.assertEqual(client.list_jobs(), [])
        name = client.train(trainer=CustomTrainer(func=fail))
        with self.assertRaises(JobFailed) as caught:
            client.wait_for_job_status(name, polling_interval=1)
        self.assertIn('ValueError: broken', str(caught.exception))
        client.delete_job(name)
        with self.assertRaises(InvalidArgument):
            client.train()


if __name__ == '__main__':
    with tempfile.TemporaryDirectory():
        unittest.main()
