import { execFileSync } from "node:child_process";

const script = `
options="-newkey $KEY"
if [ "$KEY" = ec ]; then options="$options -pkeyopt ec_paramgen_curve:P-256"; fi
openssl req -x509 $options -nodes -days 30 -subj "/O=Shop/CN=Root" \\
  -addext keyUsage=critical,keyCertSign,cRLSign \\
  -keyout root-key.pem -out root-cert.pem
openssl req $options -nodes -subj "/O=Shop/CN=Intermediate" \\
  -addext basicConstraints=critical,CA:true,pathlen:0 -addext keyUsage=critical,keyCertSign,cRLSign \\
  -keyout ca-key.pem -out ca.csr
openssl x509 -req -in ca.csr -CA root-cert.pem -CAkey root-key.pem -copy_extensions copyall -days 30 -out ca-cert.pem
cat ca-cert.pem root-cert.pem > cert-chain.pem
`;

/** Writes an authority in Istio's layout `cacerts`: a root, and an intermediate with its chain. The key is one of openssl: `ec`, `rsa:2048`. */
export function makeCacerts(folder: string, key = "ec"): void {
  execFileSync("sh", ["-ec", script], { cwd: folder, stdio: "pipe", env: { ...process.env, KEY: key } });
}
