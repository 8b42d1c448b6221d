/** Japanese texts of errors, by code. `{message}` is the server's own text, where only it names the place or the cause. */

import type { ErrorTexts } from '../server-text.js'

export const errors: ErrorTexts = {
  request_invalid: 'リクエストが正しくありません。{message}',
  body_too_large: '送信内容が大きすぎます。大きなファイルは作業フォルダーに置いてください。',
  route_not_found: 'このパスはありません。ページを再読み込みしてください。',
  method_not_allowed: 'このパスでは使えないメソッドです。ページを再読み込みしてください。',
  host_not_allowed: 'このアドレスでは接続できません。デーモンが表示したアドレスを使ってください。',
  origin_not_allowed: '別のページからのリクエストのため拒否しました。',
  credential_missing: 'ログインしていません。"signalbox open" のリンクからログインしてください。',
  credential_invalid:
    'ログインまたはトークンが無効か期限切れです。"signalbox open" でログインし直してください。',
  role_insufficient: 'この操作の権限がありません。管理者に権限を依頼してください。',
  login_code_invalid:
    'コードが間違っているか、使用済みか、期限切れです。"signalbox open" で新しいコードを取得してください。',
  login_limited: 'ログインの失敗が多すぎます。1 分後にもう一度お試しください。',
  requests_limited: 'リクエストが多すぎます。10 秒後にもう一度お試しください。',
  token_not_found: 'このトークンは存在しないか、すでに失効しています。',
  token_name_taken: 'この名前はすでに使われています。別の名前を選んでください。',
  session_not_found: 'このセッションはありません。',
  session_ended: 'セッションは終了しています。再開してから送信してください。',
  session_not_driven: '現在セッションを実行できません。しばらくしてからもう一度お試しください。',
  session_observed: 'ターミナルで実行中のセッションです。そのターミナルで操作してください。',
  workspace_not_found:
    'フォルダーが存在しないか、絶対パスではありません。存在するフォルダーを指定してください。',
  workspace_not_allowed:
    'このフォルダーではセッションを実行できません。Signalbox のホームを含まないフォルダーか、別のモードを選んでください。',
  parent_not_trusted:
    '作業フォルダーの上位フォルダーが信頼されていません。そのフォルダーも信頼するか、.claude を削除してください。{message}',
  agent_not_found: '設定にこの名前のエージェントがありません。{message}',
  conversation_not_found:
    'このマシンに Claude の会話の記録がありません。新しいセッションを開始してください。',
  conversation_in_use:
    '別の Claude Code がこの会話を使用中です。そちらを終了するか、セッションを複製してください。',
  external_id_taken: '終了していない別のセッションがこの外部 ID を使用中です。',
  idempotency_key_taken: 'このキーは別のリクエストですでに使われています。もう一度送信してください。',
  message_not_found: 'このセッションにそのメッセージはありません。',
  checkpoint_missing: 'ファイルの状態が記録されていません。{message}',
  change_not_found: 'このセッションにその変更はありません。{message}',
  undo_conflict: '元に戻していません。その後に他の人が同じ箇所を変更しました。{message}',
  undo_failed: '元に戻せませんでした。{message}',
  repository_not_found:
    'このフォルダーは git リポジトリの中にありません。作業ツリーなしで始めるか "git init" を実行してください。',
  worktree_unmerged: 'コミットまたはマージしていない作業が失われます。{message}',
  worktree_failed: '作業ツリーで失敗しました。{message}',
  workspace_busy: 'このフォルダーでセッションが作業中です。終わるまで待つか、先に中断してください。',
  message_already_delivered: 'すでに配信されたか、取り消されたメッセージです。',
  task_not_found: 'このセッションで実行中のそのタスクはありません。',
  message_invalid: 'このセッションはここからのメッセージを受け付けません。ターミナルで入力してください。',
  request_not_found: 'このリクエストはありません。',
  request_already_resolved: 'すでに回答されたリクエストです。',
  request_not_held: 'このリクエストにはそのターミナルでしか回答できません。',
  answer_invalid: '回答がリクエストに合っていません。{message}',
  grant_not_found: 'このセッションにその許可はないか、すでに取り消されています。',
  prompt_not_found: 'この名前の保存済みプロンプトはありません。',
  answer_token_invalid:
    'このリンクまたはボタンは期限切れか取り消し済みのため使えません。ダッシュボードを開いて回答してください。',
  user_not_found: 'このユーザーは存在しないか、すでに削除されています。',
  channel_not_found: 'このチャンネルは存在しないか、すでに削除されています。',
  channel_name_taken: 'この名前はすでに使われています。別の名前を選んでください。',
  channel_failed: 'チャンネルで送信できませんでした。{message}',
  set_in_config: 'config.jsonc で設定されています。そこで変更し、デーモンを再起動してください。',
  option_refused: 'このセッションでは使えないオプションです。{message}',
  script_invalid: 'スクリプトが正しくありません。{message}',
  policy_invalid: 'ポリシーが正しくないか、読み込めません。{message}',
  config_invalid: '設定が正しくありません。{message}',
  home_unusable: 'ホームフォルダーを使用できません。{message}',
  storage_damaged:
    'データベースが破損しています。Signalbox を停止し、"signalbox doctor" を実行してください。{message}',
  storage_unavailable: '現在保存できません。何も保存されていないため、もう一度送信できます。{message}',
  mcp_config_invalid: '作業フォルダーの .mcp.json が正しくありません。{message}',
  claude_failed: 'Claude Code が失敗しました。{message}',
  daemon_unreachable: 'Signalbox に接続できません。"signalbox start" で起動してください。',
  daemon_running: '別のデーモンがこのホームを使用中です。{message}',
  port_in_use: '別のプログラムがこのポートを使用中です。{message}',
  internal_error: 'Signalbox のエラーです。詳細はデーモンのログにあります。',
}
