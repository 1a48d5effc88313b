import hashlib
import io
import os
import tarfile
import tempfile
import unittest

from programs.code.archive import copied, unpack


def archive_of(members, mode='w:gz'):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return io.BytesIO(file.getvalue())


class Copied(unittest.TestCase):
    def test_tells_digest_and_size_and_writes_all_of_it(self):
        content, target = os.urandom((1 << 20) + 7), io.BytesIO()
        self.assertEqual(copied(io.BytesIO(content), target), ('sha256:' + hashlib.sha256(content).hexdigest(), len(content)))
        self.assertEqual(target.getvalue(), content)
        self.assertEqual(copied(io.BytesIO())[1], 0)


class Unpack(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.target = os.path.join(self.folder.name, 'target')
        os.mkdir(self.target)

    def test_folders_and_files_however_they_are_compressed(self):
        for mode in ('w:gz', 'w', 'w:xz'):
            unpack(archive_of([('pkg/train.py', mode.encode())], mode), self.target)
            with open(os.path.join(self.target, 'pkg', 'train.py')) as file:
                self.assertEqual(file.read(), mode)

    @unittest.skipUnless(hasattr(tarfile, 'data_filter'), 'this Python does not refuse what leads out of a folder')
    def test_what_leads_out_of_the_folder_is_refused(self):
        with self.assertRaises(tarfile.TarError):
            unpack(archive_of([('../outside', b'x')]), self.target)
        self.assertEqual(os.listdir(self.folder.name), ['target'])
