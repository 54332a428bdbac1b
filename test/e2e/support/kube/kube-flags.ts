/** How the servers of a cluster are started: on loopback, with all they keep in the folder they are started in. */
export interface KubePorts {
  readonly etcd: number;
  readonly etcdPeers: number;
  readonly server: number;
  readonly controllers: number;
}

export function etcdFlags({ etcd, etcdPeers }: KubePorts): readonly string[] {
  const client = `http://127.0.0.1:${etcd}`;
  const peer = `http://127.0.0.1:${etcdPeers}`;
  return [
    "--data-dir=etcd",
    "--unsafe-no-fsync",
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
  ];
}

export function apiServerFlags({ server, etcd }: KubePorts): readonly string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${etcd}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=127.0.0.1",
    `--secure-port=${server}`,
    "--cert-dir=certs",
    "--service-account-key-file=sa.key",
    "--service-account-signing-key-file=sa.key",
    "--service-account-issuer=https://kubernetes.default.svc",
    "--token-auth-file=tokens.csv",
    "--authorization-mode=RBAC",
    "--service-cluster-ip-range=10.96.0.0/16",
    "--disable-admission-plugins=ServiceAccount",
    "--endpoint-reconciler-type=none",
  ];
}

/** Those that make endpoints of services and pods, and what namespaces need. */
export function controllerFlags({ controllers }: KubePorts, kubeconfig: string): readonly string[] {
  const names = [
    "endpoints",
    "endpointslice",
    "namespace",
    "serviceaccount",
    "serviceaccount-token",
    "garbage-collector",
  ];
  return [
    `--kubeconfig=${kubeconfig}`,
    "--leader-elect=false",
    "--bind-address=127.0.0.1",
    `--secure-port=${controllers}`,
    "--cert-dir=controller-certs",
    `--controllers=${names.map((name) => `${name}-controller`).join(",")},root-ca-certificate-publisher-controller`,
    "--service-account-private-key-file=sa.key",
    "--root-ca-file=certs/apiserver.crt",
  ];
}
