# Archives of code: their digests, and how they are unpacked.
import hashlib
import tarfile


def copied(source, target=None):
    """Digest and size of what a stream still has, which is written into another one."""
    digest, size = hashlib.sha256(), 0
    for chunk in iter(lambda: source.read(1 << 20), b''):
        digest.update(chunk)
        size += len(chunk)
        if target is not None:
            target.write(chunk)
    return 'sha256:' + digest.hexdigest(), size


def unpack(stream, folder):
    with tarfile.open(fileobj=stream, mode='r|*') as archive:
        # What leads out of the folder is refused where Python can tell.
        if hasattr(tarfile, 'data_filter'):
            archive.extractall(folder, filter='data')
        else:
            archive.extractall(folder)
