import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import { errorFrom, MeshError } from "../../lib/errors.ts";
import { ReloadedFiles, type ReloadSettings } from "./reloaded-files.ts";

export interface KeyPairFiles {
  readonly certificate: string;
  readonly key: string;
  /** Files of authorities that sign client certificates. Each file may hold several. */
  readonly authorities?: readonly string[];
}

/** Without a certificate, only the authorities are read. */
export type TlsFiles = KeyPairFiles | { readonly certificate?: undefined; readonly authorities?: readonly string[] };

export interface KeyPairOptions extends ReloadSettings {
  readonly files: KeyPairFiles;
  /** Gets the first key pair and every valid replacement. */
  readonly use: (context: SecureContextOptions) => void;
}

/** A server's certificate, its key and its client authorities, reloaded whenever the files change. */
export function keyPair({ files, use, ...settings }: KeyPairOptions): ReloadedFiles {
  const { certificate, key, authorities = [] } = files;
  return new ReloadedFiles({
    ...settings,
    files: [certificate, key, ...authorities],
    use: (texts) => use(secureContext(files, texts)),
  });
}

/** Like {@link keyPair}. Without a certificate, the context has only the client authorities. */
export function tlsFiles({ files, use, ...settings }: Omit<KeyPairOptions, "files"> & { readonly files: TlsFiles }) {
  if (files.certificate !== undefined) return keyPair({ ...settings, files, use });
  const { authorities = [] } = files;
  return new ReloadedFiles({
    ...settings,
    files: authorities,
    use: (texts) => use({ ca: believedIn(authorities, texts) }),
  });
}

/** The certificates of all files, each in PEM. Throws an error that names the bad file. */
function believedIn(files: readonly string[], texts: readonly string[]): string[] {
  return texts.flatMap((text, index) => certificatesIn(files[index] ?? "", text)).map(String);
}

/** Throws an error that names the bad file. */
function secureContext(files: KeyPairFiles, [cert = "", key = "", ...ca]: readonly string[]): SecureContextOptions {
  const { certificate: certificateFile, key: keyFile, authorities = [] } = files;
  const [leaf] = certificatesIn(certificateFile, cert);
  if (leaf?.checkPrivateKey(privateKeyIn(keyFile, key)) !== true) {
    throw new MeshError("bad-option", `${keyFile} is not the key of ${certificateFile}: they mismatch`);
  }
  const context: SecureContextOptions = {
    cert,
    key,
    minVersion: "TLSv1.2",
    ...(authorities.length > 0 && { ca: believedIn(authorities, ca) }),
  };
  createSecureContext(context);
  return context;
}

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a PEM file, at least one. Throws an error that names the file. */
export function certificatesIn(file: string, text: string): readonly X509Certificate[] {
  const found = text.match(pemCertificate) ?? [];
  if (found.length === 0) throw new MeshError("bad-option", `${file} holds no certificate in PEM`);
  try {
    return found.map((pem) => new X509Certificate(pem));
  } catch (cause) {
    throw new MeshError("bad-option", `${file}: ${errorFrom(cause).message}`, { cause });
  }
}

function privateKeyIn(file: string, text: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch (cause) {
    throw new MeshError("bad-option", `${file} holds no private key in PEM`, { cause });
  }
}
