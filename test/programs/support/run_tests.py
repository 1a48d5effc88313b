"""Runs the tests of programs, and prints how each has ended: one line of JSON for each. Arguments: the sources' folder, then files."""
import importlib.util
import json
import os
import sys
import unittest


class Told(unittest.TestResult):
    """Tells of each test as it ends."""

    def startTest(self, test):
        super().startTest(test)
        self.problem, self.skipped_for = None, None

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.problem = self.failures[-1][1]

    def addError(self, test, err):
        super().addError(test, err)
        self.problem = self.errors[-1][1]
        if not isinstance(test, unittest.TestCase):
            # What a module or a class prepares; no test of its own is started for it.
            tell(str(test), self.problem, None)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.problem = (self.problem or '') + (self.failures + self.errors)[-1][1]

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.skipped_for = reason

    def stopTest(self, test):
        super().stopTest(test)
        tell('.'.join(test.id().split('.')[-2:]).replace('.test_', ': ').replace('_', ' '), self.problem, self.skipped_for)


def tell(name, problem, skipped):
    print(json.dumps({'file': current, 'name': name, 'problem': problem, 'skipped': skipped}), file=out, flush=True)


def module_of(path):
    name = os.path.relpath(path, tests)[:-len('.py')].replace(os.sep, '_')
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


sources, files = sys.argv[1], sys.argv[2:]
tests = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Programs import each other as parts of the package `programs`; the launcher is a file beside those that use it.
sys.path[:0] = [sources, os.path.join(sources, 'programs', 'events'), os.path.join(tests, 'support')]
# What programs print is no answer.
out, sys.stdout = sys.stdout, sys.stderr
for path in files:
    current = os.path.relpath(path, tests)
    try:
        suite = unittest.defaultTestLoader.loadTestsFromModule(module_of(path))
    except Exception as error:
        tell('can be read', repr(error), None)
        continue
    suite.run(Told())
