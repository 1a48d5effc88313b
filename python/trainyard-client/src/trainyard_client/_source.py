"""A function as source text, with everything that it needs from its module: imports, other functions and classes, constants.

Nothing is pickled. What has no source text, or is a value that only this process has, is an error that names it.
"""
from __future__ import annotations
import __future__

import ast
import builtins
import functools
import importlib.util
import inspect
import linecache
import os
import symtable
import sys
import sysconfig
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple, cast

from .errors import InvalidArgument

# Longest constant of a module that is sent with a function, in characters.
MAX_CONSTANT = 16_384

_HINT = 'Create it inside the function, or pass it in args={...}.'


@dataclass(frozen=True)
class FunctionSource:
    """`text` is a module with the function `name`. `local_modules` are imports that are files of the user: module and file."""

    name: str
    text: str
    local_modules: Tuple[Tuple[str, str], ...]


def function_source(func: Callable[..., object]) -> FunctionSource:
    """Raises InvalidArgument for what cannot be sent as source text."""
    plain = _plain_function(func)
    collector = _Collector(plain)
    collector.add_definition(plain.__name__, plain)
    text = collector.text()
    return FunctionSource(plain.__name__, text, tuple(local_modules(text)))


def check_arguments(func: Callable[..., object], args: Mapping[str, object]) -> None:
    """Raises InvalidArgument when the function cannot be called with these keyword arguments."""
    try:
        inspect.signature(func).bind(**args)
    except TypeError as error:
        raise InvalidArgument(f"{_title(func)} cannot be called with args={{{', '.join(map(repr, args))}}}: {error}.") from None


def local_modules(text: str, beside: Optional[Path] = None) -> Iterator[Tuple[str, str]]:
    """Modules that a text imports and that are files of the user, not of an installed package. `beside` is the folder of a script."""
    names: Dict[str, None] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names.update(dict.fromkeys(alias.name.split('.')[0] for alias in node.names))
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names[node.module.split('.')[0]] = None
    for name in names:
        near = [] if beside is None else [each for each in (beside / f'{name}.py', beside / name) if each.exists()]
        file = str(near[0]) if near else _file_of_module(name)
        if file is not None and not _is_installed(file):
            yield name, file


def _file_of_module(name: str) -> Optional[str]:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    if spec is None or spec.origin in (None, 'built-in', 'frozen'):
        folders = list(spec.submodule_search_locations or []) if spec is not None else []
        return folders[0] if folders else None
    return spec.origin


def _is_installed(file: str) -> bool:
    paths = sysconfig.get_paths()
    roots = {paths[key] for key in ('stdlib', 'platstdlib', 'purelib', 'platlib') if key in paths}
    real = os.path.realpath(file)
    inside = any(real.startswith(os.path.realpath(root) + os.sep) for root in roots)
    return inside or 'site-packages' in real.split(os.sep) or 'dist-packages' in real.split(os.sep)


def _title(func: object) -> str:
    return f"The function '{getattr(func, '__name__', type(func).__name__)}'"


def _plain_function(func: object) -> types.FunctionType:
    if isinstance(func, functools.partial):
        raise InvalidArgument('A functools.partial cannot be sent as source text. Pass the function itself, and its arguments in args={...}.')
    if inspect.isclass(func):
        raise InvalidArgument(f"The class '{func.__name__}' cannot be trained: pass a function.")
    if isinstance(func, types.MethodType):
        raise InvalidArgument(f"'{func.__qualname__}' is a method, and its object is not sent. Pass a function that creates the object.")
    inner = inspect.unwrap(cast(Callable[..., Any], func)) if callable(func) else func
    if not isinstance(inner, types.FunctionType):
        raise InvalidArgument(f'{func!r} is not a Python function with source text. Pass a function, or the path of a script.')
    if inner.__name__ == '<lambda>':
        raise InvalidArgument('A lambda cannot be sent as source text. Define a function with def, and pass its name.')
    if inspect.iscoroutinefunction(inner) or inspect.isasyncgenfunction(inner) or inspect.isgeneratorfunction(inner):
        raise InvalidArgument(f'{_title(inner)} is a generator or a coroutine: a call would not run it. Pass a plain function that runs it, such as '
                              'with asyncio.run.')
    _refuse_closure(inner)
    return inner


def _refuse_closure(func: types.FunctionType) -> None:
    captured = [name for name in func.__code__.co_freevars if name != '__class__']
    if captured:
        names = ', '.join(f"'{name}'" for name in captured)
        raise InvalidArgument(f'{_title(func)} uses {names} of the function around it, which is not sent with it. {_HINT}')


class _Collector:
    def __init__(self, root: types.FunctionType):
        self.root = root
        self.futures: Dict[str, None] = {}
        self.imports: Dict[str, None] = {}
        self.constants: Dict[str, str] = {}
        self.definitions: Dict[str, str] = {}

    def add_definition(self, name: str, thing: Any) -> None:
        """A function or class, after all that it needs."""
        if name in self.definitions:
            return
        self.definitions[name] = ''
        text = _source_of(thing)
        for used in _global_names(text, self._future_of(thing)):
            self._add_name(used, text, thing)
        # What it needs has to be defined before it.
        del self.definitions[name]
        alias = '' if name == thing.__name__ else f'\n{name} = {thing.__name__}\n'
        self.definitions[name] = text + alias

    def text(self) -> str:
        parts = ['\n'.join(self.futures), '\n'.join(self.imports), '\n'.join(f'{name} = {value}' for name, value in self.constants.items())]
        header = f'"""The function {self.root.__name__}, as trainyard-client sent it."""'
        return '\n\n'.join([header, *(part for part in parts if part), *self.definitions.values()]).rstrip() + '\n'

    def _future_of(self, thing: Any) -> str:
        flags = thing.__code__.co_flags if isinstance(thing, types.FunctionType) else self.root.__code__.co_flags
        if flags & __future__.annotations.compiler_flag:
            self.futures['from __future__ import annotations'] = None
            return 'from __future__ import annotations\n'
        return ''

    def _add_name(self, name: str, text: str, user: Any) -> None:
        scope = self.root.__globals__
        if name in self.constants or name in self.definitions or name not in scope or (name == '__name__'):
            return
        value = scope[name]
        statement = _import_statement(name, value, self.root)
        if isinstance(value, types.ModuleType):
            self.imports[f'import {value.__name__}' + ('' if value.__name__ == name else f' as {name}')] = None
            for module in _submodules(text, name, value.__name__):
                self.imports[f'import {module}'] = None
        elif statement is not None:
            self.imports[statement] = None
        elif _is_own_definition(value, self.root):
            inner: Any = inspect.unwrap(value)
            if isinstance(inner, types.FunctionType):
                if inner.__name__ == '<lambda>':
                    raise InvalidArgument(f"{_title(user)} uses '{name}', a lambda, which cannot be sent as source text. Define it with def.")
                _refuse_closure(inner)
            self.add_definition(name, inner)
        else:
            self.constants[name] = _literal(name, value, user)


def _source_of(thing: Any) -> str:
    """Its text, as a statement of a module. Lines of texts inside keep their indentation."""
    text = _class_source(thing) if inspect.isclass(thing) else None
    try:
        text = text or inspect.getsource(thing)
    except (OSError, TypeError):
        text = None
    if text is None:
        raise InvalidArgument(f'{_title(thing)} has no source text: it was made by exec, or typed at a prompt that keeps none. Define it in a file or '
                              'a notebook.')
    if text[:1] in ' \t':
        text = f'if True:\n{text}'
    text = text if text.endswith('\n') else text + '\n'
    try:
        first = ast.parse(text).body[0]
    except (SyntaxError, IndexError):
        raise InvalidArgument(f'{_title(thing)}: its source text cannot be read as a definition. Write it with def on a line of its own.') from None
    node = first.body[0] if isinstance(first, ast.If) else first
    is_definition = isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == thing.__name__
    if not is_definition or (isinstance(thing, types.FunctionType) and not _is_same(cast(ast.FunctionDef, node), thing)):
        raise InvalidArgument(f'{_title(thing)}: the file has changed since it was imported. Import it again, or restart the notebook.')
    return text


def _is_same(node: ast.FunctionDef, func: types.FunctionType) -> bool:
    """Whether the text is that of the function: it takes the same arguments."""
    given = node.args
    names = [each.arg for each in [*given.posonlyargs, *given.args, *given.kwonlyargs]]
    code = func.__code__
    return names == list(code.co_varnames[:code.co_argcount + code.co_kwonlyargcount])


def _class_source(thing: type) -> Optional[str]:
    """Of a class with methods: they say its file, which Python does not know of classes in notebooks."""
    for member in vars(thing).values():
        code = getattr(member, '__code__', None)
        if code is None:
            continue
        text = ''.join(linecache.getlines(code.co_filename))
        for node in ast.walk(_parsed(text)):
            if isinstance(node, ast.ClassDef) and node.name == thing.__name__ and node.lineno <= code.co_firstlineno <= (node.end_lineno or 0):
                start = min([node.lineno, *(each.lineno for each in node.decorator_list)])
                return ''.join(text.splitlines(keepends=True)[start - 1:node.end_lineno])
    return None


def _global_names(text: str, futures: str) -> List[str]:
    """Names that a definition looks up outside itself: when it runs, and when it is defined (decorators, defaults, bases)."""
    names: Dict[str, None] = {}

    def visit(table: symtable.SymbolTable, is_top: bool) -> None:
        for symbol in table.get_symbols():
            defined_here = is_top and (symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace())
            if symbol.is_referenced() and (is_top or symbol.is_global()) and not defined_here:
                names[symbol.get_name()] = None
        for child in table.get_children():
            visit(child, False)

    visit(symtable.symtable(futures + text, '<function>', 'exec'), True)
    return [name for name in names if not hasattr(builtins, name) or name == 'open']


def _submodules(text: str, name: str, module: str) -> Iterator[str]:
    """Of `concurrent.futures.wait(...)`, the module concurrent.futures: an import of the first part does not load it."""
    for node in ast.walk(ast.parse(text)):
        path: List[str] = []
        inner: ast.expr = node if isinstance(node, ast.Attribute) else ast.Constant(None)
        while isinstance(inner, ast.Attribute):
            path.insert(0, inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name) and inner.id == name:
            dotted = '.'.join([module, *path])
            if dotted in sys.modules:
                yield dotted


def _import_statement(name: str, value: Any, root: types.FunctionType) -> Optional[str]:
    """The statement that bound a name: as its module has it, else as the value says."""
    package = str(root.__globals__.get('__package__') or '')
    for node in _imports_of(root):
        for alias in node.names:
            if (alias.asname or alias.name) == name:
                module = importlib.util.resolve_name('.' * node.level + (node.module or ''), package) if node.level else node.module or ''
                if getattr(sys.modules.get(module), alias.name, _MISSING) is value:
                    return f'from {module} import {alias.name}' + (f' as {alias.asname}' if alias.asname else '')
    module, attribute = getattr(value, '__module__', None), getattr(value, '__name__', None)
    if isinstance(module, str) and isinstance(attribute, str) and module not in ('__main__', root.__module__, 'builtins'):
        if getattr(sys.modules.get(module), attribute, _MISSING) is value:
            return f'from {module} import {attribute}' + ('' if attribute == name else f' as {name}')
    return None


_MISSING = object()


def _imports_of(root: types.FunctionType) -> Iterator[ast.ImportFrom]:
    """Statements `from ... import` of the function's file, or of the notebook's cells."""
    cells = root.__globals__.get('In')
    texts = [''.join(linecache.getlines(root.__code__.co_filename, root.__globals__))]
    texts += [str(each) for each in cast(List[object], cells)] if isinstance(cells, list) else []
    for text in texts:
        for node in ast.walk(_parsed(text)):
            if isinstance(node, ast.ImportFrom) and node.module != '__future__':
                yield node


def _parsed(text: str) -> ast.AST:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def _is_own_definition(value: Any, root: types.FunctionType) -> bool:
    return (inspect.isclass(value) or inspect.isroutine(value)) and getattr(value, '__module__', None) == root.__module__


def _literal(name: str, value: Any, user: Any) -> str:
    text = repr(value) if _is_plain(value, 0) else ''
    if not text:
        raise InvalidArgument(f"{_title(user)} uses '{name}', a variable of the type {type_name(value)}, which is not sent with it. {_HINT}")
    if len(text) > MAX_CONSTANT:
        raise InvalidArgument(f"{_title(user)} uses '{name}', a constant of {len(text):,} characters; at most {MAX_CONSTANT:,} are sent. "
                              'Put it into a file, and pass its folder in code=.')
    return text


def type_name(value: object) -> str:
    """The type with its module, such as numpy.ndarray."""
    return f'{type(value).__module__}.{type(value).__qualname__}'


def _is_plain(value: Any, depth: int) -> bool:
    """Whether repr() writes it so that Python reads the same again."""
    if value is None or type(value) in (bool, int, str, bytes):
        return True
    if type(value) is float:
        return value - value == 0
    if depth > 20:
        return False
    if type(value) in (list, tuple):
        return all(_is_plain(each, depth + 1) for each in value)
    if type(value) is dict:
        return all(_is_plain(key, depth + 1) and _is_plain(each, depth + 1) for key, each in cast(Dict[Any, Any], value).items())
    return False
