"""Functions as source text."""

import linecache
import unittest
from functools import partial

from support import module_from
from trainyard_client import InvalidArgument
from trainyard_client._source import check_arguments, function_source


def sent(text, name='train'):
    """The module that is sent for a function of a module with this text."""
    return function_source(getattr(module_from(text), name)).text


def run(text, *args):
    scope = {'__name__': 'sent'}
    exec(compile(text, '<sent>', 'exec'), scope)
    return scope['train'](*args)


def refusal(text, name='train'):
    try:
        sent(text, name)
    except InvalidArgument as error:
        return str(error)
    raise AssertionError('it was sent')


class Sent(unittest.TestCase):
    def test_a_function_alone(self):
        self.assertEqual(run(sent('def train(x):\n    return x + 1\n'), 2), 3)

    def test_imports_that_it_uses_and_no_others(self):
        text = sent(
            'import json\nimport os.path as p\nimport sys\nfrom math import floor as down\n\n'
            'def train(x):\n    return json.dumps([p.basename(x), down(2.5)])\n'
        )
        self.assertEqual(run(text, '/a/b'), '["b", 2]')
        self.assertNotIn('import sys', text)

    def test_parts_of_packages_are_imported_as_they_are_used(self):
        text = sent('import concurrent.futures\n\ndef train():\n    return concurrent.futures.Future().done()\n')
        self.assertIn('import concurrent.futures', text)
        self.assertEqual(run(text), False)

    def test_functions_classes_and_constants_of_its_module_in_an_order_that_works(self):
        text = sent(
            'EPOCHS = 3\nNAMES = {"a": [1, 2.5, None, True], "b": (b"x",)}\n\n'
            'def double(x, by=EPOCHS):\n    return x * by\n\n'
            'class Base:\n    factor = EPOCHS\n\nclass Model(Base):\n    def go(self):\n        return double(self.factor)\n\n'
            'def deco(f):\n    return f\n\n@deco\ndef train():\n    return Model().go(), NAMES\n'
        )
        self.assertEqual(run(text), (9, {'a': [1, 2.5, None, True], 'b': (b'x',)}))

    def test_recursion_and_functions_that_call_each_other(self):
        text = sent(
            'def even(n):\n    return n == 0 or odd(n - 1)\n\ndef odd(n):\n    return n != 0 and even(n - 1)\n\n'
            'def train(n):\n    return even(n) or train(n - 1)\n'
        )
        self.assertTrue(run(text, 3))

    def test_a_function_inside_another_keeps_its_texts(self):
        def train():
            said = """first
    second"""
            return said

        self.assertEqual(run(function_source(train).text), 'first\n    second')

    def test_future_annotations_are_kept(self):
        text = sent('from __future__ import annotations\n\ndef train(x: NotThere = 1) -> Neither:\n    return x\n')
        self.assertEqual(run(text), 1)

    def test_an_alias_of_a_function(self):
        self.assertEqual(run(sent('def inner():\n    return 5\n\nother = inner\n\ndef train():\n    return other()\n')), 5)

    def test_a_wrapped_function_is_wrapped_again(self):
        text = sent(
            'import functools\n\ndef twice(f):\n    @functools.wraps(f)\n    def inner():\n        return f() * 2\n    return inner\n\n'
            '@twice\ndef train():\n    return 4\n'
        )
        self.assertEqual(run(text), 8)

    def test_a_cell_of_a_notebook(self):
        # As IPython does: the cell's text is in linecache under the name of its code.
        cell = 'import json\nLR = 0.5\n\nclass Net:\n    def size(self):\n        return LR\n\ndef train():\n    return json.dumps(Net().size())\n'
        name = '<ipython-input-7-0123456789ab>'
        linecache.cache[name] = (len(cell), None, cell.splitlines(keepends=True), name)
        scope = {'__name__': '__main__', 'In': ['', cell]}
        exec(compile(cell, name, 'exec'), scope)
        self.assertEqual(run(function_source(scope['train']).text), '0.5')

    def test_names_of_modules_that_are_files_of_the_user(self):
        helper = module_from('def f():\n    return 1\n', 'helper_of_mine')
        module = module_from('def train():\n    import helper_of_mine, json\n    return helper_of_mine.f()\n')
        import os
        import sys

        sys.path.insert(0, os.path.dirname(helper.__file__))
        try:
            del sys.modules['helper_of_mine']
            self.assertEqual([name for name, _ in function_source(module.train).local_modules], ['helper_of_mine'])
        finally:
            sys.path.pop(0)

    def test_builtin_names_and_unknown_ones_are_left_to_python(self):
        text = sent('def train():\n    try:\n        return unknown_name\n    except NameError:\n        return len([1])\n')
        self.assertEqual(run(text), 1)


class Refused(unittest.TestCase):
    def test_closures_name_the_variable(self):
        def outer():
            model, rate = object(), 1

            def train():
                return model, rate

            return train

        with self.assertRaises(InvalidArgument) as caught:
            function_source(outer())
        self.assertIn("uses 'model', 'rate' of the function around it", str(caught.exception))
        self.assertIn('args={...}', str(caught.exception))

    def test_global_objects_name_the_variable_and_its_type(self):
        self.assertIn("uses 'MODEL', a variable of the type builtins.object", refusal('MODEL = object()\n\ndef train():\n    return MODEL\n'))

    def test_numbers_that_have_no_text(self):
        self.assertIn("uses 'BEST'", refusal("BEST = float('inf')\n\ndef train():\n    return BEST\n"))

    def test_long_constants(self):
        self.assertIn('a constant of 100,002 characters', refusal("DATA = 'x' * 100_000\n\ndef train():\n    return DATA\n"))

    def test_lambdas_partials_methods_classes_builtins_and_coroutines(self):
        class Model:
            def fit(self):
                pass

        async def later():
            pass

        def many():
            yield 1

        for func, word in (
            (lambda: 1, 'lambda'),
            (partial(print, 1), 'partial'),
            (Model().fit, 'method'),
            (Model, 'class'),
            (print, 'not a Python function'),
            (later, 'coroutine'),
            (many, 'generator'),
        ):
            with self.subTest(word), self.assertRaises(InvalidArgument) as caught:
                function_source(func)
            self.assertIn(word, str(caught.exception))

    def test_a_lambda_that_it_uses(self):
        self.assertIn("uses 'double', a lambda", refusal('double = lambda x: x * 2\n\ndef train():\n    return double(2)\n'))

    def test_functions_without_text(self):
        scope = {'__name__': 'nowhere'}
        exec('def train():\n    pass\n', scope)
        with self.assertRaises(InvalidArgument) as caught:
            function_source(scope['train'])
        self.assertIn('has no source text', str(caught.exception))

    def test_a_file_that_has_changed_since(self):
        module = module_from('def train(a):\n    return a\n')
        with open(module.__file__, 'w', encoding='utf-8') as file:
            file.write('def train(b, c):\n    return b\n')
        linecache.clearcache()
        with self.assertRaises(InvalidArgument) as caught:
            function_source(module.train)
        self.assertIn('has changed since it was imported', str(caught.exception))

    def test_arguments_that_it_does_not_take(self):
        def train(epochs, *, rate=1):
            pass

        check_arguments(train, {'epochs': 1})
        for args, word in (({}, "missing a required argument: 'epochs'"), ({'epochs': 1, 'x': 2}, "unexpected keyword argument 'x'")):
            with self.assertRaises(InvalidArgument) as caught:
                check_arguments(train, args)
            self.assertIn(word, str(caught.exception))


if __name__ == '__main__':
    unittest.main()
