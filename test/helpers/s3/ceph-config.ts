/** Folder and loopback ports of a cluster on one machine. */
export interface CephPlace {
  readonly dir: string;
  readonly fsid: string;
  readonly monitorPort: number;
  readonly port: number;
}

/**
 * Configuration of a temporary cluster: no secrets between its daemons, one copy of each object in memory,
 * and no delays.
 */
export function cephConfig({ dir, fsid, monitorPort, port }: CephPlace): string {
  return `[global]
fsid = ${fsid}
mon initial members = a
mon host = v1:127.0.0.1:${monitorPort}
ms bind msgr2 = false
public addr = 127.0.0.1
cluster addr = 127.0.0.1
public network = 127.0.0.0/8
auth cluster required = none
auth service required = none
auth client required = none
keyring = ${dir}/keyring

mon data = ${dir}/mon
osd data = ${dir}/osd
osd journal = ${dir}/osd/journal
rgw data = ${dir}
run dir = ${dir}
crash dir = ${dir}
log file = ${dir}/$name.log
mon cluster log file = ${dir}/cluster.log
pid file = ${dir}/$name.pid
admin socket =

# By default a change of the map waits for a second, and a client without a daemon for three to five seconds.
paxos propose interval = 0.02
paxos min wait = 0.01
mon client hunt interval = 0.1
mon client hunt interval backoff = 1
objecter tick interval = 0.2

mon allow pool size one = true
mon warn on pool no redundancy = false
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd crush chooseleaf type = 0
osd objectstore = memstore
memstore device bytes = ${1024 ** 3}
# Small, with room for the keys of hive and for what the gateway adds to the name of a part.
osd max object name len = 384
osd max object namespace len = 64

rgw frontends = beast endpoint=127.0.0.1:${port}
rgw dns name = localhost
rgw thread pool size = 64
# What was removed leaves the memory soon, and not two hours later.
rgw gc obj min wait = 1
rgw gc processor period = 5
rgw gc processor max time = 5
`;
}
