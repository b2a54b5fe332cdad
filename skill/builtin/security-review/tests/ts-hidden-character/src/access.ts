export type Role = 'user' | 'editor' | 'admin';

export function mayPublish(role: Role): boolean {
  // want medium "hidden character"
  if (role !== 'user‮ ⁦// admins only⁩ ⁦') {
    return true;
  }
  return false;
}

export const NAMES: Record<Role, string> = { user: 'Benutzer', editor: 'Rédacteur', admin: '管理者' };
