"""./dev bench model: what the learned model is worth on pipelines, and on processors, that it has not seen.
See bench/README.md."""

import argparse
import json
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.harness import learned_quality, learning_data, processes, sample_store, setting, tables
from bench.harness.apps import is_drawn, known_apps
from bench.harness.learned_quality import Group
from bench.harness.processes import Limits
from bench.harness.progress import Progress
from bench.harness.tools import load_tools

ARCHIVES = Path(__file__).resolve().parent / "results"
THREADS = 2  # of the apps, in the archives
SMOKE_EPOCHS = 2

# Each fold is held out in its turn. Pipelines that are much alike (products of matrices, steps of a stencil) are
# in the same fold, so that a copy of what is judged is never learned from.
FOLDS = (
    "mat_mul mat_mul_2048 gemm sgemm_1060 three_mm blur gaussian unsharp bilateral_grid bgu",
    "conv_layer conv_layer_256 conv_512 conv_conv resnet_bottleneck learned_demosaic copy mask hist warp_affine",
    "jacobi jacobi_f1 jacobi_f2 jacobi_f10 heat2d stencil_chain transpose transpose_mask attention layer_norm",
    "syrk syr2k trmm harris edge_detector iir_blur cvt_color rgb_yuv420 local_laplacian interpolate pyramid_blend",
    "doitgen convolution depthwise_separable_conv saxpy saxpy_1060 elementwise_chain camera_pipe lens_blur",
    "nl_means max_filter resize nb indirect",
)
# Archives of one processor, which are held out together.
PROCESSORS = {
    "Zen 4": ("zen4",),
    "Zen 5": ("zen5", "zen5-any", "zen5-seed1"),
    "Sapphire Rapids": ("spr-any",),
}
# Half of the schedules of every pipeline are learned from, with no pipeline left out to stop by. What is so of one
# pipeline alone is worth learning here, so little holds the network back.
UNSEEN_SCHEDULES = (
    "--hold-out-schedules=0.5", "--left-out-share=0", "--with-algorithm", "--own-penalty=10",
    "--dropped-inputs=0.1", "--learning-rate=2e-3", "--weight-decay=0.01", "--correction-penalty=0.02",
)  # fmt: skip
# What is learned without: name -> options of cryolite train.
VARIANTS = {
    "network": (),
    "factors_alone": ("--without-network",),
    "with_algorithm": ("--with-algorithm",),
    "no_schedule": ("--without-schedule",),
    "no_terms": ("--without-terms",),
    "no_ranges": ("--without-ranges",),
    "no_ranking": ("--ranking-part=0",),
}


def parser():
    line = argparse.ArgumentParser(
        prog="./dev bench model",
        description="Trains networks on the archived schedules of all pipelines but some, and judges "
        "them by those, beside the analytical model.",
    )
    option = line.add_argument
    option("--build-dir", required=True, type=Path, help=argparse.SUPPRESS)
    option("--smoke", action="store_true", help=f"one fold of the smallest archive, {SMOKE_EPOCHS} epochs")
    option("--archives", metavar="A,B", help="files or names of bench/results/batches-NAME.tar.xz, or stores of samples, also exported ones (all batches)")
    option(
        "--variants", metavar="A,B", default="network",
        help=f"what to train; one of {', '.join(VARIANTS)} (network)",
    )  # fmt: skip
    option("--no-schedules", action="store_true", help="leave out the table of unseen schedules")
    option("--no-processors", action="store_true", help="leave out the table of unseen processors")
    option("--train", metavar="TEXT", default="", help="more options for cryolite train, in one text")
    option("--jobs", type=int, default=1, metavar="N", help="trainings at a time (1)")
    option("--output", type=Path, help="where to write (BUILD/bench/model)")
    return line


def archive_paths(arguments):
    if arguments.smoke:
        return [ARCHIVES / "batches-spr-any.tar.xz"]
    if not arguments.archives:
        return sorted(ARCHIVES.glob("batches-*.tar.xz"))
    return [
        Path(name) if name.endswith(learning_data.SUFFIX) or sample_store.is_store(name)
        else ARCHIVES / f"{learning_data.PREFIX}{name}{learning_data.SUFFIX}"
        for name in arguments.archives.split(",")
    ]  # fmt: skip


class Trainings:
    """Runs cryolite train and reads what it predicts."""

    def __init__(self, tools, directory, options):
        self._tools, self._directory, self._options = tools, directory, options

    def held_out(self, name, options, pipelines=(), archives=()):
        """The groups that were not learned from."""
        path = self._directory / f"{name}.predictions.json"
        command = [
            str(self._tools.trainer), "train", "--quiet", "--samples", str(self._directory / "samples"),
            "-o", str(path.with_suffix("").with_suffix(".safetensors")), "--predictions", str(path), *self._options, *options,
        ]  # fmt: skip
        if pipelines:
            command += ["--hold-out", ",".join(pipelines)]
        if archives:
            command += ["--hold-out-store", ",".join(archives)]
        result = processes.run(command, Limits(seconds=3600, memory_mb=8192))
        if not result.ok:
            raise SystemExit(f"cryolite train: {processes.describe_failure(result)}")
        found = json.loads(path.read_text(encoding="utf-8"))
        return [
            Group(
                g["archive"], g["pipeline"], tuple(g["measured"]), tuple(g["analytical"]),
                tuple(g["learned"]),
            )
            for g in found if g["held_out"]
        ]  # fmt: skip


def counts(paths):
    """(archive, pipeline) -> how many samples it has."""
    values = (json.loads(path.read_text(encoding="utf-8")) for path in paths)
    return {(v["archive"], v["pipeline"]): len(v["samples"]) for v in values}


def drawn_in_fold(number, known):
    """Pipelines that a seed has drawn: seeds that are neighbours are in different folds."""
    drawn = (name for name in known if is_drawn(name))
    return sorted(name for name in drawn if zlib.crc32(name.encode()) % len(FOLDS) == number)


def of_unseen_pipelines(trainings, variant, folds, known, jobs, progress):
    def one(numbered):
        number, fold = numbered
        progress.show(f"{variant}: fold {number + 1} of {len(folds)}")
        pipelines = [name for name in fold.split() if name in known] + drawn_in_fold(number, known)
        return trainings.held_out(f"{variant}_{number}", VARIANTS[variant], pipelines=pipelines)

    with ThreadPoolExecutor(jobs) as pool:
        groups = [group for found in pool.map(one, enumerate(folds)) for group in found]
    progress.clear()
    return learned_quality.large_enough(groups)


def report(text, directory):
    (directory / "model.md").write_text("\n".join(text) + "\n", encoding="utf-8")
    print("\n".join(text + ["", f"results: {directory}"]), flush=True)


def main():
    arguments = parser().parse_args()
    tools = load_tools(arguments.build_dir)
    directory = arguments.output or arguments.build_dir / "bench" / "model"
    if arguments.smoke and not arguments.output:
        directory = arguments.build_dir / "bench" / "model_smoke"
    variants = arguments.variants.split(",")
    for variant in variants:
        if variant not in VARIANTS:
            raise SystemExit(f"no variant is called {variant}; there are: {', '.join(VARIANTS)}")
    progress = Progress()
    about = setting.lines("model", tools)
    progress.say("\n".join(about))
    paths = learning_data.make(
        tools, known_apps(tools), archive_paths(arguments), THREADS, directory, progress
    )
    samples = counts(paths)
    known = {pipeline for _, pipeline in samples}
    archives = {archive for archive, _ in samples}
    # A pipeline without a fold would never be judged.
    in_folds = {name for fold in FOLDS for name in fold.split()}
    strangers = sorted(name for name in known - in_folds if not is_drawn(name))
    if strangers:
        raise SystemExit(f"in no fold of bench/model.py: {', '.join(strangers)}")
    options = arguments.train.split() + ([f"--epochs={SMOKE_EPOCHS}"] if arguments.smoke else [])
    trainings = Trainings(tools, directory, options)
    folds = FOLDS[3:4] if arguments.smoke else FOLDS

    text = [*(f"    {line}" for line in about), ""]
    text += [f"{sum(samples.values())} schedules of {len(known)} pipelines in {len(archives)} archives.", ""]
    for variant in variants:
        groups = of_unseen_pipelines(trainings, variant, folds, known, arguments.jobs, progress)
        text += [f"## Unseen pipelines: {variant}", ""]
        text += learned_quality.by_archive(groups, variant) + [""]
        better, worse = learned_quality.changed_pipelines(groups)
        text += [
            f"Pick better by more than 3 %: {', '.join(better) or 'none'}. "
            f"Worse by more than 3 %: {', '.join(worse) or 'none'}.", "",
        ]  # fmt: skip
        if variant == "network":
            text += ["### By pipeline", ""] + learned_quality.by_pipeline(groups) + [""]
        report(text, directory)
    if not arguments.smoke and not arguments.no_schedules:
        progress.show("seen pipelines, unseen schedules")
        groups = trainings.held_out("schedules", UNSEEN_SCHEDULES)
        groups = learned_quality.large_enough(groups)
        text += ["## Seen pipelines, unseen schedules", ""]
        text += learned_quality.by_archive(groups, "network") + [""]
    if not arguments.smoke and not arguments.no_processors:
        text += ["## Unseen processors", ""]
        rows = [["processor", "model"] + learned_quality.HEAD]
        for processor, held_out in PROCESSORS.items():
            held_out = [archive for archive in held_out if archive in archives]
            if not held_out or len(held_out) == len(archives):
                continue
            progress.show(f"without {processor}")
            groups = learned_quality.large_enough(
                trainings.held_out(f"without {processor}".replace(" ", "_"), (), archives=held_out)
            )
            for name, of in (("analytical", lambda g: g.analytical), ("network", lambda g: g.learned)):
                rows.append([processor, name] + learned_quality.row(learned_quality.quality(groups, of)))
        text += tables.markdown(rows)
    report(text, directory)
    return 0


if __name__ == "__main__":
    sys.exit(main())
