"""
Deletes old checkpoints below a folder.

A checkpoint is a file or a folder whose name has a step in it: step-00000250.npz, checkpoint-500, iter_0000100, or a folder of Orbax, which is called
by its step alone. Checkpoints in one folder whose names differ in the step alone are a series, and each series keeps its newest, by step and by time:
at least one, whatever else is said. Folders of the root are jobs', however they are called, unless CLEANUP_IN_ROOT says otherwise. What was changed a
moment ago is neither counted nor deleted, because its job may not have reported it yet.
Links are not followed, what a link beside a checkpoint points at is kept, and nothing on another file system is touched.
"""
import os
import re
import stat
import sys
import time

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
# Half of a checkpoint is not to be taken for one: it gets this name first.
DELETING = ".deleting-"
STEP = re.compile(r"(?:^|[^A-Za-z])(?:global[-_]?)?step[-_=]?(?P<step>[0-9]+)", re.IGNORECASE)
OTHER = re.compile(r"(?:^|[^A-Za-z])(?:checkpoint|ckpt|iter|iteration|epoch)[-_=]?(?P<step>[0-9]+)", re.IGNORECASE)
EPOCH = re.compile(r"epoch[-_=]?[0-9]+", re.IGNORECASE)
# Files that Orbax leaves in a checkpoint: folders with a number alone may be anything else, such as years.
ORBAX = ("_CHECKPOINT_METADATA", "_METADATA", "commit_success.txt")
DEEPEST = 16


class Cleanup:
    def __init__(self, environ, now):
        self.root = environ["CLEANUP_ROOT"]
        self.keep_last = number(environ.get("CLEANUP_KEEP_LAST"))
        self.max_age = number(environ.get("CLEANUP_MAX_AGE_SECONDS"))
        self.settled = now - float(environ.get("CLEANUP_SETTLE_SECONDS", "600"))
        self.pattern = re.compile(environ["CLEANUP_PATTERN"]) if environ.get("CLEANUP_PATTERN") else None
        self.first_depth = 0 if environ.get("CLEANUP_IN_ROOT") == "true" else 1
        self.dry_run = environ.get("CLEANUP_DRY_RUN") == "true"
        self.now = now
        self.deleted = self.kept = self.failures = 0

    def run(self):
        folder = os.open(self.root, FOLDER)
        try:
            self.device = os.fstat(folder).st_dev
            self.walk(folder, self.root, 0)
        finally:
            os.close(folder)
        verb = "would delete" if self.dry_run else "deleted"
        print(f"{verb} {self.deleted}, kept {self.kept}, failed {self.failures}", flush=True)
        return 1 if self.failures else 0

    def walk(self, folder, path, depth):
        series, pointed_at, folders = {}, set(), []
        for name in sorted(os.listdir(folder)):
            try:
                status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            except FileNotFoundError:
                continue
            if stat.S_ISLNK(status.st_mode):
                pointed_at.add(os.path.normpath(os.readlink(name, dir_fd=folder)).split("/")[0])
            elif status.st_dev != self.device:
                continue
            elif name.startswith(DELETING):
                self.delete(folder, path, name, "left over", False)
            elif stat.S_ISDIR(status.st_mode) or stat.S_ISREG(status.st_mode):
                is_folder = stat.S_ISDIR(status.st_mode)
                found = self.step_of(folder, name, is_folder) if depth >= self.first_depth else None
                if found is not None:
                    series.setdefault(found[0], []).append((found[1], name, status))
                elif is_folder and name != "lost+found":
                    folders.append(name)
        for members in series.values():
            self.prune(folder, path, members, pointed_at)
        for name in folders:
            if depth < DEEPEST:
                self.descend(folder, path, name, depth)

    def descend(self, folder, path, name, depth):
        try:
            inner = os.open(name, FOLDER, dir_fd=folder)
        except FileNotFoundError:
            return
        except OSError as error:
            self.fail(os.path.join(path, name), error)
            return
        try:
            self.walk(inner, os.path.join(path, name), depth + 1)
        except OSError as error:
            self.fail(os.path.join(path, name), error)
        finally:
            os.close(inner)

    def step_of(self, folder, name, is_folder):
        """The series that a name is of, and its step."""
        if self.pattern is not None:
            match = self.pattern.search(name)
        else:
            match = STEP.search(name) or OTHER.search(name)
            if match is None and is_folder and name.isascii() and name.isdigit() and is_orbax(folder, name):
                return "*", int(name)
        if match is None or not (match.group("step") or "").isdigit():
            return None
        start, end = match.span("step")
        before, after = name[:start], name[end:]
        if self.pattern is None:
            before, after = EPOCH.sub("epoch", before), EPOCH.sub("epoch", after)
        return before + "*" + after, int(match.group("step"))

    def prune(self, folder, path, members, pointed_at):
        settled = []
        for step, name, status in members:
            try:
                changed = last_change(folder, name, status)
            except OSError as error:
                self.fail(os.path.join(path, name), error)
                self.kept += 1
                continue
            if changed <= self.settled:
                settled.append((step, changed, name))
            else:
                self.kept += 1
        by_step = sorted(settled, reverse=True)
        by_time = sorted(settled, key=lambda entry: (entry[1], entry[0]), reverse=True)
        last = {entry[2] for newest in (by_step, by_time) for entry in newest[:1]}
        keep = {entry[2] for newest in (by_step, by_time) for entry in newest[:self.keep_last]}
        for _, changed, name in sorted(settled):
            too_old = self.max_age is not None and self.now - changed > self.max_age
            if name in last or name in pointed_at or (name in keep and not too_old):
                self.kept += 1
            else:
                self.delete(folder, path, name, "too old" if too_old else "more than are kept", True)

    def delete(self, folder, path, name, why, is_new):
        where = os.path.join(path, name)
        print(f"{'would delete' if self.dry_run else 'deletes'} {where}: {why}", flush=True)
        if not self.dry_run:
            try:
                gone = name
                if is_new:
                    try:
                        os.rename(name, DELETING + name, src_dir_fd=folder, dst_dir_fd=folder)
                        gone = DELETING + name
                    except OSError:
                        pass  # Buckets without real folders rename only small ones.
                self.remove(folder, gone)
            except OSError as error:
                self.fail(where, error)
                return
        self.deleted += 1

    def remove(self, folder, name):
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if not stat.S_ISDIR(status.st_mode):
            os.unlink(name, dir_fd=folder)
            return
        if status.st_dev != self.device:
            raise OSError("is another file system")
        inner = os.open(name, FOLDER, dir_fd=folder)
        try:
            for child in os.listdir(inner):
                self.remove(inner, child)
        finally:
            os.close(inner)
        os.rmdir(name, dir_fd=folder)

    def fail(self, where, error):
        self.failures += 1
        print(f"cannot clean {where}: {error}", file=sys.stderr, flush=True)


def number(text):
    return float(text) if text and "." in text else int(text) if text else None


def is_orbax(folder, name):
    try:
        inner = os.open(name, FOLDER, dir_fd=folder)
    except OSError:
        return False
    try:
        return any(marker in os.listdir(inner) for marker in ORBAX)
    finally:
        os.close(inner)


def last_change(folder, name, status):
    """Time of the newest file: folders of a bucket have no time of their own."""
    if not stat.S_ISDIR(status.st_mode):
        return status.st_mtime
    inner = os.open(name, FOLDER, dir_fd=folder)
    try:
        times = []
        for child in os.listdir(inner):
            inside = os.stat(child, dir_fd=inner, follow_symlinks=False)
            times.append(last_change(inner, child, inside))
        return max(times) if times else status.st_mtime
    finally:
        os.close(inner)


if __name__ == "__main__":
    sys.exit(Cleanup(os.environ, time.time()).run())
