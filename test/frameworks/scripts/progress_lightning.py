"""Lightning with trainyard-progress: the first attempt gets SIGTERM in its seventh step, the second one continues from the checkpoint."""
import json
import os
import signal

import lightning.pytorch as pl
import torch
from trainyard_progress.lightning import TrainyardCallback

folder, resume_from = os.environ['CHECKPOINT_PATH'], os.environ.get('RESUME_FROM')


class Interruption(pl.Callback):
    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        if trainer.global_step == 7 and not resume_from:
            os.kill(os.getpid(), signal.SIGTERM)


class FirstStep(pl.Callback):
    def on_train_start(self, trainer, pl_module):
        print(json.dumps({'framework': 'lightning', 'done': trainer.global_step}), flush=True)


class Model(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def _register_sharded_tensor_state_dict_hooks_if_available(self):
        """Would import a module of Debian's PyTorch that Python 3.11 does not take."""

    def training_step(self, batch, _index):
        loss = torch.nn.functional.mse_loss(self.layer(batch)[:, 0], batch.sum(dim=1))
        self.log('loss', loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


torch.manual_seed(0)
data = torch.utils.data.DataLoader(torch.rand(40, 2), batch_size=4, num_workers=1)
checkpoints = pl.callbacks.ModelCheckpoint(folder, filename='step-{step}', auto_insert_metric_name=False, every_n_train_steps=5, save_top_k=-1)
trainer = pl.Trainer(
    max_steps=20, accelerator='cpu', devices=1, logger=False, enable_progress_bar=False, enable_model_summary=False, log_every_n_steps=1,
    callbacks=[FirstStep(), Interruption(), TrainyardCallback(), checkpoints],
)
trainer.fit(Model(), data, ckpt_path=resume_from)
print(json.dumps({'framework': 'lightning', 'done': trainer.global_step}), flush=True)
