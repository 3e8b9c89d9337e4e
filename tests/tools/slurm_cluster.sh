# A Slurm of two nodes on this computer, for a test. Source it, with $scratch set. Needs root, munged and Slurm's programs
# (Debian: slurm-wlm, munge). Everything lies in $scratch/slurm, and ports are from 17817 on.

cluster_is_possible() {
    [[ $(id -u) == 0 ]] || { echo "skipped: a private munged and slurmctld need root"; return 1; }
    local program
    for program in munged slurmctld slurmd sbatch squeue scancel; do
        command -v $program >/dev/null || { echo "skipped: there is no $program"; return 1; }
    done
    getent passwd munge >/dev/null || { echo "skipped: there is no user munge"; return 1; }
}

# munged refuses folders that others may write to, above its own.
start_cluster() {
    cluster=$scratch/slurm
    munge=$(mktemp -d /run/cryolite-munge.XXXXXX)
    mkdir -p "$cluster"/{state,spool-n1,spool-n2}
    head -c 1024 /dev/urandom >"$munge/key"
    chmod 400 "$munge/key"
    chown -R munge "$munge"
    chmod 755 "$munge"
    runuser -u munge -- munged --key-file="$munge/key" --socket="$munge/socket" --pid-file="$munge/pid" \
        --seed-file="$munge/seed" --log-file="$munge/log"
    local host
    host=$(hostname -s)
    cat >"$cluster/slurm.conf" <<END
ClusterName=cryolite
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=17817
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$munge/socket,cred_expire=5
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_min_interval=1000,bf_interval=3
MpiDefault=none
ReturnToService=2
SlurmdTimeout=6
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd-%n.pid
SlurmdSpoolDir=$cluster/spool-%n
StateSaveLocation=$cluster/state
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd-%n.log
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=17821 CPUs=2 State=UNKNOWN
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=17822 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
END
    export SLURM_CONF=$cluster/slurm.conf
    slurmctld -f "$SLURM_CONF"
    start_node n1
    start_node n2
    local i
    for ((i = 0; i < 300; i++)); do
        [[ $(sinfo -h -t idle -o %D 2>/dev/null) == 2 ]] && return
        sleep 0.1
    done
    sinfo >&2
    echo "the cluster does not start" >&2
    return 1
}

start_node() { slurmd -f "$SLURM_CONF" -N "$1"; }

# All processes below one, the lowest last.
below() {
    local child
    for child in $(pgrep -P "$1"); do
        echo "$child"
        below "$child"
    done
}

# As when its power fails: the daemon and all that its jobs run.
kill_node() {
    local job steps step
    steps=
    for job in $(squeue -h -w "$1" -t running -o %A); do
        for step in $(pgrep -f "slurmstepd: \[$job\.batch\]"); do
            tr '\0' '\n' <"/proc/$step/environ" | grep -qF "$cluster" || continue
            steps+=" $step $(below "$step")"
        done
    done
    kill -KILL "$(cat "$cluster/slurmd-$1.pid")" $steps
    rm -f "$cluster/slurmd-$1.pid"
}

stop_cluster() {
    local file
    for file in "$cluster"/slurmd-n?.pid "$cluster/slurmctld.pid" "$munge/pid"; do
        [[ -s $file ]] && kill -TERM "$(cat "$file")" 2>/dev/null
    done
    for ((i = 0; i < 100; i++)); do
        [[ ! -e $cluster/slurmctld.pid && ! -e $munge/pid ]] && break
        sleep 0.1
    done
    rm -rf "$munge"
    return 0
}
