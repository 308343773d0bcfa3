// Prints what crates/evm/tests/vectors.rs reads; run by `run`.
import { SiweMessage } from 'siwe';
import { hashMessage, hashTypedData, keccak256, serializeTypedData, sha256, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

const keys = [
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  keccak256(toHex('cow')),
  '0x0000000000000000000000000000000000000000000000000000000000000001',
  '0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140',
];
const accounts = keys.map((key) => ({ key, account: privateKeyToAccount(key) }));

const texts = ['', 'hello', 'line one\nline two\r\n', 'Zürich — 東京 — 🦀', '0x68656c6c6f', 'a'.repeat(1000)];

const salted = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'salt', type: 'bytes32' },
];
const person = [{ name: 'name', type: 'string' }, { name: 'wallet', type: 'address' }];
const documents = [
  {
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'version', type: 'string' },
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
      Person: person,
      Mail: [
        { name: 'from', type: 'Person' },
        { name: 'to', type: 'Person' },
        { name: 'contents', type: 'string' },
      ],
    },
    primaryType: 'Mail',
    domain: {
      name: 'Ether Mail',
      version: '1',
      chainId: 1,
      verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
    },
    message: {
      from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
      to: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
      contents: 'Hello, Bob!',
    },
  },
  {
    types: {
      EIP712Domain: salted,
      WalletConfirmation: [
        { name: 'account_id', type: 'string' },
        { name: 'new_wallet', type: 'address' },
        { name: 'challenge_id', type: 'string' },
      ],
    },
    primaryType: 'WalletConfirmation',
    domain: { name: 'Guildhall', version: '1', chainId: 31337, salt: sha256(toHex('http://127.0.0.1:8080')) },
    message: {
      account_id: 'acct_0190a0b0c0d0e0f0a0b0c0d0e0f01234',
      new_wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB',
      challenge_id: 'chl_0190a0b0c0d0e0f0a0b0c0d0e0f05678',
    },
  },
  {
    types: {
      EIP712Domain: salted,
      Item: [
        { name: 'digest', type: 'bytes32' },
        { name: 'note', type: 'bytes' },
        { name: 'share', type: 'uint16' },
      ],
      Everything: [
        { name: 'owners', type: 'address[]' },
        { name: 'items', type: 'Item[]' },
        { name: 'pair', type: 'uint64[2]' },
        { name: 'amount', type: 'uint256' },
        { name: 'delta', type: 'int64' },
        { name: 'final', type: 'bool' },
        { name: 'text', type: 'string' },
      ],
    },
    primaryType: 'Everything',
    domain: { name: 'Guildhall', version: '1', chainId: 1, salt: sha256(toHex('https://market.example')) },
    message: {
      owners: ['0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826', '0x0000000000000000000000000000000000000000'],
      items: [{ digest: keccak256(toHex('one')), note: '0x', share: 10000 }, { digest: keccak256(toHex('two')), note: '0xc0ffee', share: 0 }],
      pair: ['0', '18446744073709551615'],
      amount: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
      delta: '-42',
      final: true,
      text: 'Zürich 🦀',
    },
  },
];

const messages = [
  ['localhost:8080', 'http://localhost:8080', 'Link this wallet to the Guildhall account acct_0190a0b0c0d0e0f0a0b0c0d0e0f01234.', 31337],
  ['market.example', 'https://market.example', "What? (it's 1+1=2; a/b & [c]) @ #7!", 1],
  ['[::1]:8080', 'http://[::1]:8080', 'x', 9007199254740991],
];

const signed = async () => {
  const vectors = { accounts: [], texts: [], documents: [], messages: [] };
  for (const { key, account } of accounts) vectors.accounts.push({ key, address: account.address });
  for (const [index, text] of texts.entries()) {
    const { account } = accounts[index % accounts.length];
    const signature = await account.signMessage({ message: text });
    vectors.texts.push({ text, digest: hashMessage(text), signer: account.address, signature });
  }
  for (const document of documents) {
    // What a wallet is given is JSON, with whatever viem makes of the values.
    const json = JSON.parse(serializeTypedData(document));
    for (const { account } of accounts.slice(0, 2)) {
      const signature = await account.signTypedData(document);
      vectors.documents.push({ document: json, digest: hashTypedData(document), signer: account.address, signature });
    }
  }
  for (const [index, [domain, uri, statement, chainId]] of messages.entries()) {
    const { account } = accounts[index];
    const fields = {
      domain, uri, statement, chainId, address: account.address, version: '1', nonce: `0123456789abcdef${index}`,
      issuedAt: '2026-11-01T12:00:00.000Z', expirationTime: '2026-11-01T12:10:00.007Z',
    };
    const text = new SiweMessage(fields).prepareMessage();
    vectors.messages.push({ fields, text, signature: await account.signMessage({ message: text }) });
  }
  return vectors;
};

console.log(JSON.stringify(await signed(), null, 1));
