#!/bin/sh
# Start a SLURM of one node on this machine, without systemd: start.sh FOLDER
#
# All that it keeps stands in FOLDER; afterwards `export SLURM_CONF=FOLDER/slurm.conf`.
# Needs munge and slurm-wlm. It declares eight processors, whatever the machine has.
set -eu
folder=$(mkdir -p "$1" && cd "$1" && pwd)
host=$(hostname)
mkdir -p "$folder/state" "$folder/spool" "$folder/log"
free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

chmod 0755 "$folder"
(umask 077 && head -c 1024 /dev/urandom > "$folder/munge.key")
chmod 0400 "$folder/munge.key"
munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
    --pid-file="$folder/munged.pid" --log-file="$folder/log/munged" --seed-file="$folder/munge.seed"

cat > "$folder/slurm.conf" <<CONF
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/log/slurmctld
SlurmdLogFile=$folder/log/slurmd
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
PlugStackConfig=/dev/null
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc=$folder/jobs
ReturnToService=2
KillWait=5
MessageTimeout=100
InactiveLimit=0
SchedulerParameters=batch_sched_delay=0,sched_min_interval=10000,bf_interval=1
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=8 RealMemory=8000
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE OverTimeLimit=0
CONF

export SLURM_CONF="$folder/slurm.conf"
slurmctld -f "$SLURM_CONF"
slurmd -f "$SLURM_CONF" -N "$host"
for _ in $(seq 1000); do
    if sinfo --noheader --format=%T 2> /dev/null | grep -q idle; then
        exit 0
    fi
    sleep 0.2
done
echo "start.sh: the node did not become idle; see $folder/log" >&2
exit 1
