"""Files and specs of jobs: arguments, archives, names, variables."""

import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
import warnings
from pathlib import Path

from support import module_from
from trainyard_client import Float, Int, InvalidArgument, Secret
from trainyard_client._bundle import Bundle, read_folder
from trainyard_client._search import search_of
from trainyard_client._spec import check_json, environment, image_of, job_name, merged, program_of


def train(**arguments):
    import json

    print(json.dumps(arguments, sort_keys=True))


def run(program, **env):
    """What the program of a job prints, as a process without a cluster."""
    with tempfile.TemporaryDirectory() as folder:
        program.bundle.write(Path(folder))
        done = subprocess.run([sys.executable, 'trainyard_start.py'], cwd=folder, env={**os.environ, **env}, capture_output=True, text=True)
        return done.stdout + done.stderr


HOSTILE = {
    'quotes': '\'"`"""\'\'\'',
    'shell': '$(rm -rf /); `id` && $HOME $$',
    'lines': 'a\nb\r\n\0c',
    'words': '日本語 \ud800 \u202e',
    'python': '{func_code}\\N{DASH} %s %(x)s',
    'deep': [[[{'a': [1.5, -0.0, 10**30, None, True]}]]],
    'empty': '',
}


class Arguments(unittest.TestCase):
    def test_hostile_arguments_arrive_unchanged(self):
        said = run(program_of(train, HOSTILE, 'plain'))
        self.assertEqual(json.loads(said), HOSTILE)

    def test_names_that_are_no_identifiers_are_arguments_too(self):
        name = "__import__('os').system('x')"
        self.assertEqual(json.loads(run(program_of(train, {name: 1}, 'plain'))), {name: 1})

    def test_values_that_are_not_json_are_refused_by_their_path(self):
        circle = []
        circle.append(circle)
        for value, word in (
            (float('nan'), "args['x'] is nan"),
            ({1: 2}, "args['x'] has the key 1"),
            ([object()], "args['x'][0] is of the type builtins.object"),
            (b'x', 'builtins.bytes'),
            (circle, 'contains itself'),
            (Path('x'), 'str(path)'),
            ({'a': {2}}, "args['x']['a'] is of the type builtins.set"),
        ):
            with self.subTest(word), self.assertRaises(InvalidArgument) as caught:
                program_of(train, {'x': value}, 'plain')
            self.assertIn(word, str(caught.exception))

    def test_tuples_become_lists(self):
        self.assertEqual(check_json({'a': (1, (2,))}), {'a': [1, [2]]})

    def test_arguments_of_the_wrong_form(self):
        script = module_from('print(1)\n').__file__
        for args, target in ((['a'], train), ({'a': 1}, script), ('abc', script)):
            with self.assertRaises(InvalidArgument):
                program_of(target, args, 'plain')


class Scripts(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        (self.root / 'pkg').mkdir()
        (self.root / 'pkg' / 'part.py').write_text('VALUE = 7\n')
        (self.root / 'train.py').write_text('import sys\nfrom pkg.part import VALUE\nprint(sys.argv[1:], VALUE, __name__)\n')

    def test_a_script_with_its_folder_and_words(self):
        said = run(program_of('train.py', ['--a', '$(b)', 'c d'], 'plain', code=str(self.root)))
        self.assertEqual(said, "['--a', '$(b)', 'c d'] 7 __main__\n")

    def test_a_script_alone_warns_of_modules_that_stay_behind(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            program = program_of(self.root / 'train.py', None, 'plain')
        self.assertIn("'pkg' is imported from", str(caught[0].message))
        self.assertNotIn('pkg/part.py', program.bundle.files)

    def test_what_is_no_script(self):
        (self.root / 'broken.py').write_text('def (:\n')
        for target, code, word in (
            ('none.py', None, 'neither a function nor a file'),
            (self.root / 'broken.py', None, 'is not a Python program: line 1'),
            (__file__, self.root, 'is not in code='),
        ):
            with self.assertRaises(InvalidArgument) as caught:
                program_of(target, None, 'plain', code=code)
            self.assertIn(word, str(caught.exception))

    def test_a_script_that_is_excluded(self):
        (self.root / '.trainyardignore').write_text('train.py\n')
        with self.assertRaises(InvalidArgument) as caught:
            program_of('train.py', None, 'plain', code=str(self.root))
        self.assertIn('is excluded', str(caught.exception))


class Searches(unittest.TestCase):
    def search(self, **space):
        return search_of('score', space, 'random', 6, 2, 'maximize', None, None, None)

    def test_values_arrive_in_their_types_and_the_result_is_printed(self):
        def fit(lr, batch, kind, ratio, epochs):
            return {'score': lr * batch, 'named': 1, 'flag': True, 'other': repr((lr, batch, kind, ratio, epochs))}

        search = self.search(lr=Float(0.1, 1.0, log=True), batch=Int(1, 8), kind=['a', 2], ratio=[0.5, 1])
        values = {'lr': '0.5', 'batch': '4', 'kind': '2', 'ratio': '1'}
        program = program_of(fit, {'epochs': 3}, 'plain', search=search)
        self.assertEqual(run(program, TRAINYARD_HYPERPARAMETERS=json.dumps(values)), 'score=2.0\nnamed=1\n')
        self.assertEqual(run(program, TRAINYARD_HYPERPARAMETERS=json.dumps(values), RANK='1'), '')

    def test_hyperbands_budget_is_an_argument_too(self):
        def fit(x, epochs):
            return x * epochs

        search = search_of('score', {'x': [1, 2]}, 'hyperband', 6, 2, 'maximize', None, None, {'budget': {'max': 9, 'parameter': 'epochs'}})
        program = program_of(fit, None, 'plain', search=search)
        self.assertEqual(run(program, TRAINYARD_HYPERPARAMETERS='{"x": "2", "epochs": "9", "EPOCHS": "9"}'), 'score=18\n')

    def test_a_number_is_the_objective(self):
        def fit(x):
            return x * 2

        self.assertEqual(run(program_of(fit, None, 'plain', search=self.search(x=[1, 2])), TRAINYARD_HYPERPARAMETERS='{"x": "2"}'), 'score=4\n')

    def test_scripts_get_values_in_their_words(self):
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder, 'try.py')
            script.write_text('import sys\nprint(sys.argv[1:])\n')
            program = program_of(script, ['--x=$(x)', '$(y)'], 'plain', search=self.search(x=[1, 2]))
            self.assertEqual(run(program, TRAINYARD_HYPERPARAMETERS='{"x": "2"}'), "['--x=2', '$(y)']\n")

    def test_the_block_of_the_spec(self):
        search = self.search(lr=Float(0.1, 1.0, log=True), n=Int(1, 9, step=2), kind=['a', 'b'], many=[1, 2], ratio=[1, 0.5])
        self.assertEqual(
            search.block['parameters'],
            {
                'lr': {'type': 'float', 'min': 0.1, 'max': 1.0, 'scale': 'log'},
                'n': {'type': 'int', 'min': 1, 'max': 9, 'step': 2},
                'kind': {'type': 'categorical', 'values': ['a', 'b']},
                'many': {'type': 'int', 'values': [1, 2]},
                'ratio': {'type': 'float', 'values': [1, 0.5]},
            },
        )

    def test_spaces_that_are_none(self):
        def fit(x):
            return x

        for space in ({}, {'x': 'abc'}, {'x': []}, {'x': [None]}, {'x': (True,)}, {'x': 3}):
            with self.subTest(space), self.assertRaises(InvalidArgument):
                self.search(**space)
        with self.assertRaises(InvalidArgument) as caught:
            program_of(fit, None, 'plain', search=self.search(x=[1], y=[2]))
        self.assertIn("unexpected keyword argument 'y'", str(caught.exception))


class Folders(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name).resolve()

    def write(self, **files):
        for name, content in files.items():
            path = self.root / name.replace('__', '/').replace('_dot_', '.')
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)

    def test_ignore_files_of_the_folder_and_of_the_repository_above_it(self):
        self.write(
            _dot_git__HEAD='x',
            _dot_gitignore='*.log\n!keep.log\n',
            code__a_dot_py='a',
            code__b_dot_log='b',
            code__keep_dot_log='k',
            code___dot_env='secret',
            code__dist__x_dot_py='x',
            code__data__big='b',
            code___dot_trainyardignore='data/\n',
        )
        (self.root / 'code' / '__pycache__').mkdir()
        (self.root / 'code' / '__pycache__' / 'c.pyc').write_text('c')
        self.assertEqual(sorted(read_folder(self.root / 'code').files), ['.trainyardignore', 'a.py', 'keep.log'])

    def test_our_ignore_file_wins_over_gits_and_a_folder_that_git_ignores_can_be_sent(self):
        self.write(
            _dot_git__HEAD='x',
            _dot_gitignore='runs/\n',
            runs__a_dot_py='a',
            runs___dot_gitignore='*.bin\n',
            runs__m_dot_bin='m',
            runs___dot_trainyardignore='!m.bin\n',
        )
        self.assertEqual(sorted(read_folder(self.root / 'runs').files), ['.gitignore', '.trainyardignore', 'a.py', 'm.bin'])

    def test_links_out_of_the_folder_are_refused_and_others_are_files(self):
        self.write(code__a_dot_py='a', secret='s')
        os.symlink('a.py', self.root / 'code' / 'b.py')
        self.assertEqual(read_folder(self.root / 'code').files, {'a.py': b'a', 'b.py': b'a'})
        os.symlink(self.root / 'secret', self.root / 'code' / 'c.py')
        with self.assertRaises(InvalidArgument) as caught:
            read_folder(self.root / 'code')
        self.assertIn('outside the folder that is sent', str(caught.exception))

    def test_an_archive_depends_only_on_its_files(self):
        one, two = Bundle({'b': b'2', 'a': b'1'}, ('a',)), Bundle({'a': b'1', 'b': b'2'}, ('a',))
        self.assertEqual(one.archive(), two.archive())
        with tarfile.open(fileobj=io.BytesIO(one.archive())) as tar:
            self.assertEqual(
                [(entry.name, entry.mode, entry.uid, entry.mtime) for entry in tar], [('a', 0o755, 0, 499_162_500), ('b', 0o644, 0, 499_162_500)]
            )

    def test_what_is_too_large_names_the_largest_files(self):
        with self.assertRaises(InvalidArgument) as caught:
            Bundle({'weights.bin': os.urandom(800 * 1024), 'train.py': b'x'}).archive()
        self.assertRegex(
            str(caught.exception),
            r'The code has 800\.\d KiB as an archive \(2 files\), and a ConfigMap has room for 700\.0 KiB\. The largest: weights\.bin',
        )


class Fields(unittest.TestCase):
    def test_names(self):
        self.assertEqual(job_name('digits-2', 'x'), 'digits-2')
        self.assertRegex(job_name(None, 'Train_Model'), r'^train-model-[a-z0-9]{5}$')
        self.assertRegex(job_name(None, '3d'), r'^job-3d-[a-z0-9]{5}$')
        self.assertRegex(job_name(None, 'ÄÖ'), r'^job-[a-z0-9]{5}$')
        self.assertLessEqual(len(job_name(None, 'x' * 200)), 48)
        for name in ('', 'A', 'a_b', 'a' * 49, '-a', '../x', 'a\n'):
            with self.subTest(name), self.assertRaises(InvalidArgument):
                job_name(name, 'x')

    def test_variables(self):
        self.assertEqual(
            environment({'A': '$(B) $$', 'N': 3, 'T': Secret('hub', 'token')}),
            [
                {'name': 'A', 'value': '$$(B) $$$$'},
                {'name': 'N', 'value': '3'},
                {'name': 'T', 'valueFrom': {'secretKeyRef': {'name': 'hub', 'key': 'token'}}},
            ],
        )
        for env in ({'A B': 'x'}, {'A': None}, {'A': True}, {'': 'x'}):
            with self.subTest(env), self.assertRaises(InvalidArgument):
                environment(env)

    def test_fields_are_merged_and_the_second_counts(self):
        self.assertEqual(merged({'a': {'b': 1, 'c': 2}, 'd': [1]}, {'a': {'b': 3}, 'd': [2]}), {'a': {'b': 3, 'c': 2}, 'd': [2]})

    def test_images_and_frameworks(self):
        self.assertEqual(image_of('plain', None), f'python:{sys.version_info[0]}.{sys.version_info[1]}-slim')
        with self.assertRaises(InvalidArgument):
            image_of('paddle', None)
        with self.assertRaises(InvalidArgument) as caught:
            program_of(train, None, 'torch')
        self.assertIn("framework='torch' is not a framework. Choose one of pytorch", str(caught.exception))
        with self.assertRaises(InvalidArgument):
            program_of(train, None, 'mpi', packages=['x'])
        with self.assertRaises(InvalidArgument):
            program_of(train, None, 'plain', packages='torch')


class Starting(unittest.TestCase):
    def test_packages_that_cannot_be_installed_end_the_replica_with_what_pip_says(self):
        program = program_of(train, None, 'plain', packages=['--index-url=http://127.0.0.1:1/'], index_urls=['http://127.0.0.1:1/simple'])
        said = run(program, PIP_RETRIES='0', PIP_TIMEOUT='1')
        self.assertIn('trainyard: pip cannot install --index-url=http://127.0.0.1:1/:', said)
        # As a package, and not as an option of pip.
        self.assertIn('Invalid requirement', said)

    def test_a_launcher_that_the_image_does_not_have(self):
        said = run(program_of(train, None, 'pytorch'), PATH='/nonexistent')
        self.assertIn('trainyard: the image has no torchrun. Use an image of the framework', said)


if __name__ == '__main__':
    unittest.main()
