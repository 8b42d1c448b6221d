/** Texts of notifications, in Japanese. */

import type { Texts } from './en.js'

export const ja: Texts = {
  permission: '{name}：許可の要求',
  question: '{name}：質問',
  plan: '{name}：計画の承認の要求',
  failed: '{name}：失敗',
  finished: '{name}：完了',
  waiting: '{count} 件のエージェントが回答を待っています',
  several: 'エージェント {count} 件：待機 {waiting}、失敗 {failed}、完了 {finished}',
  reminder: '再通知：{title}',
  more: 'ほか {count} 件',
  in_terminal: 'そのターミナルでのみ回答できます。',
  allow: '許可',
  deny: '拒否',
  open: '開く',
  allowed_by: '{who} さんが許可しました。',
  denied_by: '{who} さんが拒否しました。',
  answered_by: '{who} さんが回答しました。',
  timed_out: '時間内に回答がなかったため拒否されました。',
  settled: '対応は不要になりました。',
  not_answered: '回答できませんでした。タップして要求を開いてください。',
  test_title: 'Signalbox テスト',
  test_body: 'このチャンネルは動作しています。',
  reply_allowed: '許可しました。',
  reply_denied: '拒否しました。',
  reply_sent: '{name} に送信しました。',
  reply_refused: '処理しませんでした：{reason}',
  reply_no_right: 'このチャンネルではできません。',
  reply_unknown: 'このメッセージのセッションはもうありません。',
}
