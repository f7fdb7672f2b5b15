#!/bin/sh
# Stop what start.sh started: stop.sh FOLDER
set -u
folder=$(cd "$1" && pwd)
export SLURM_CONF="$folder/slurm.conf"
scancel --user="$(id -un)" 2> /dev/null
scontrol shutdown 2> /dev/null
for name in slurmd slurmctld munged; do
    [ -f "$folder/$name.pid" ] && kill "$(cat "$folder/$name.pid")" 2> /dev/null
done
exit 0
