#!/usr/bin/perl -T
# The lifecycle hook for machines without a compiler. Same contract as lifecycle-logger.c, which documents it. No modules
# and little code, because loading and compiling are most of the cost. -T ignores PERL5OPT and PERL5LIB: a missing module
# named there would exit with 2, which blocks the user's tool call.

exit 0 if length $ENV{SIGNALBOX_CHILD};
$SIG{__WARN__} = sub { };
$LIMIT = 4 << 20;
eval { run() };
exit 0;

sub run {
    binmode STDIN;
    my $in = '';
    1 while sysread(STDIN, $in, 1 << 20, length $in) && length $in <= 16 * $LIMIT;
    return if length $in > 16 * $LIMIT;
    # Control characters are white space outside strings and invalid inside: replaced, so that one line stays one line.
    $in =~ tr/\x00-\x1f/ /;
    %field = members(clean($in));
    return if ($field{session_id} || '') !~ /^"./ || $field{session_id} eq '""';
    my ($type, $phase, $names) = event(text('hook_event_name'), text('tool_name'), text('notification_type')) or return;
    my @own = (@line, copy($names));
    my ($seconds, $nanoseconds) = now();
    my ($sec, $min, $hour, $day, $month, $year) = gmtime $seconds;
    my $time = sprintf '%04d-%02d-%02dT%02d:%02d:%02d.%03dZ', $year + 1900, $month + 1, $day, $hour, $min, $sec,
        $nanoseconds / 1_000_000;
    my @pid = map { qq("pid":$_) } ($ENV{CLAUDE_PID} || '') =~ /^([1-9][0-9]{0,10})\z/;
    # PID namespace: containers have their own.
    my $space = @pid ? readlink '/proc/self/ns/pid' : undef;
    push @pid, '"pidSpace":' . quote($space) if defined $space;
    my $id = uuid($seconds, $nanoseconds);
    my $line = join ',', qq({"id":"$id"), qq("eventType":"$type"),
        ($phase ? qq("phase":"$phase") : ()), qq("occurredAtIso":"$time"), qq("sessionId":$field{session_id}),
        '"provider":"claude"', '"projectPath":' . quote($ENV{CLAUDE_PROJECT_DIR}), '"cwd":' . string('cwd'), @own,
        copy('hookEvent:hook_event_name'), @pid,
        (defined $ENV{CLAUDE_CODE_ENTRYPOINT} ? '"entrypoint":' . quote($ENV{CLAUDE_CODE_ENTRYPOINT}) : ()),
        copy('transcriptPath:transcript_path promptId:prompt_id agentId:agent_id agentType:agent_type permissionMode:permission_mode');
    $line .= ',"omitted":[' . join(',', @omitted) . ']' if @omitted;
    append("$line}\n", stream_path());
    return unless @ARGV && text('hook_event_name') eq 'PermissionRequest';
    local $/;
    <DATA> =~ /(.*)/s;
    eval $1;
    hold($ARGV[0], $id, @pid ? $pid[0] =~ /(\d+)/ : 0);
}

# Maps a hook event to its type, phase and the members to copy. Empty for events without a line.
sub event {
    my ($event, $tool, $notification) = @_;
    if ($event eq 'SessionStart') {
        return ('context.lifecycle', 'compacted', '') if text('source') eq 'compact';
        return ('session.lifecycle', 'started', 'source model title:session_title');
    }
    return ('session.lifecycle', 'ended', 'reason') if $event eq 'SessionEnd';
    if ($event eq 'UserPromptSubmit') {
        push @omitted, '"prompt"' if length $field{prompt} > $LIMIT;
        push @line, '"prompt":' . string('prompt');
        return ('turn.start', '', '');
    }
    if ($event =~ /^Stop(Failure)?$/) {
        push @line, '"outcome":' . ($1 ? '"failed"' : '"completed"');
        return ('turn.end', '', 'error lastAssistantMessage:last_assistant_message backgroundTasks:background_tasks stopHookActive:stop_hook_active');
    }
    if ($event eq 'UserPromptExpansion') {
        return unless skill('person', text('command_name'), text('command_args'));
        return ('skill.lifecycle', 'in_progress', '');
    }
    if ($tool eq 'Skill' && $event =~ /^(Pre|Post)ToolUse(Failure)?$/) {
        my %input = members($field{tool_input});
        return unless skill('model', inside($input{skill}), inside($input{args}));
        push @line, '"outcome":' . ($2 ? '"failed"' : '"completed"') if $1 eq 'Post';
        return ('skill.lifecycle', $1 eq 'Pre' ? 'in_progress' : 'completed', 'durationMs:duration_ms error isInterrupt:is_interrupt');
    }
    if ($event =~ /^PostToolUse/ && $tool =~ /^(?:AskUserQuestion|ExitPlanMode)$/) {
        return ('request.lifecycle', 'answered', 'toolName:tool_name toolInput:tool_input toolUseId:tool_use_id toolResponse:tool_response error');
    }
    # Without a terminal there is no dialog: the CLI decides automatically, and nothing waits.
    if ($event eq 'PermissionRequest' && $ENV{CLAUDE_CODE_ENTRYPOINT} ne 'sdk-cli'
        || $event eq 'Notification' && $notification =~ /^(?:agent_needs_input|elicitation_dialog)$/) {
        my $is_question = $tool eq 'AskUserQuestion' || $notification eq 'elicitation_dialog';
        return ('session.lifecycle', $is_question ? 'waiting_question' : 'waiting_permission',
            'toolName:tool_name toolInput:tool_input suggestions:permission_suggestions notificationType:notification_type message');
    }
    # The CLI's internal helpers (such as compaction) have no type and no SubagentStart.
    if ($event =~ /^Subagent(Start|Stop)$/ && text('agent_type') ne '') {
        return ('agent.lifecycle', $1 eq 'Start' ? 'started' : 'ended', 'agentTranscriptPath:agent_transcript_path');
    }
    return ('context.lifecycle', 'compacting', 'trigger') if $event eq 'PreCompact';
    return;
}

sub skill {
    my ($by, $name, $arguments) = @_;
    return 0 if $name eq '';
    $name =~ s{^/}{};
    ($arguments, @omitted) = ('', '"triggerCommand"') if length $arguments > $LIMIT;
    # The first word that is clearly a file.
    my ($target) = grep { /.\.(?:mdx?|txt|rst|adoc)\z/ || m{/[^/]+\.[A-Za-z][A-Za-z0-9]*\z} }
        grep { s/^\@//; !/^-|\\|:\/\// && length $_ < 4096 } $arguments =~ /((?:[^ \\]|\\[^nrt])+)/g;
    push @line, qq("skillName":"$name"), qq("triggerCommand":"/$name) . ($arguments eq '' ? '"' : qq( $arguments")),
        '"turnSeq":null', '"targetDocPath":' . (defined $target ? qq("$target") : 'null'), qq("startedBy":"$by"),
        copy('toolUseId:tool_use_id');
    return 1;
}

# The members of an object, with verbatim values. Empty if it is not a complete object.
sub members {
    my %found;
    for ($_[0]) {
        return unless /\G *\{ */gc;
        return %found if /\G\}/gc;
        while (1) {
            my $start = pos;
            return unless skip_string() && /\G *: */gc;
            my $value = pos;
            my $name = substr $_, $start, $value - $start;
            $name =~ s/^"|" *: *\z//g;
            return unless skip_value();
            $found{$name} = substr $_, $value, pos() - $value;
            return %found if /\G *\}/gc;
            return unless /\G *, */gc;
        }
    }
}

# In chunks, because a quantifier of perl has a limit.
sub skip_string {
    return 0 unless /\G"/gc;
    1 while /\G[^"\\]*+(?:\\(?:["\\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\]*+){0,1000}+/gc;
    return /\G"/gc;
}

sub skip_value {
    my $depth = 0;
    while (1) {
        if (/\G(?=")/gc) { skip_string() or return 0 }
        elsif (/\G[\{\[]/gc) { $depth++; next }
        elsif (/\G[\}\]]/gc) { $depth-- > 0 or return 0 }
        elsif ($depth > 0) { /\G[^"\{\}\[\]]+/gc or return 0; next }
        else { /\G[^,\}\]\{\[ "]+/gc or return 0 }
        return 1 if $depth == 0;
    }
}

# The text between the quotes of a string; empty for anything else.
sub inside { ($_[0] || '') =~ /^"/ ? substr $_[0], 1, length($_[0]) - 2 : '' }
sub text { inside($field{$_[0]}) }

# A string or null, for members that are always written.
sub string { ($field{$_[0]} || '') =~ /^"/ && length $field{$_[0]} <= $LIMIT ? $field{$_[0]} : 'null' }

# Optional members, as `name` or `name:name in the input`. Values that are too long are only named in "omitted".
sub copy {
    my @copied;
    for (split / /, $_[0]) {
        my ($name, $from) = split /:/;
        my $value = $field{$from || $name};
        if (length $value > $LIMIT) { push @omitted, qq("$name") }
        elsif (length $value) { push @copied, qq("$name":$value) }
    }
    return @copied;
}

# JSON must be UTF-8: a text that is not loses everything but ASCII.
sub clean {
    my ($text) = @_;
    $text =~ tr/\x80-\xff/?/ unless utf8::decode(my $copy = $text);
    return $text;
}

sub quote {
    return 'null' unless defined $_[0];
    my $text = clean($_[0]);
    $text =~ s/(["\\])/\\$1/g;
    $text =~ s/([\x00-\x1f])/sprintf '\\u%04x', ord $1/ge;
    return qq("$text");
}

# Seconds and nanoseconds. Loading Time::HiRes costs twice as much as everything else, so on Linux this is a system call.
# Its number depends on the architecture that this perl was built for, which is read from its own binary.
sub now {
    if ($^O eq 'linux' && open my $self, '<', '/proc/self/exe') {
        binmode $self;
        sysread $self, my $header, 20;
        my ($class, $machine) = unpack 'x4 C x13 v', $header;
        my $number = $class != 2 ? 0 : $machine == 62 ? 228 : $machine == 183 ? 113 : 0;
        my $time = "\0" x 16;
        return unpack 'qq', $time if $number && syscall($number, 0, $time) == 0;
    }
    my $time = eval { require Time::HiRes; Time::HiRes::time() } || time;
    return (int $time, int(($time - int $time) * 1_000_000) * 1_000);
}

# UUIDv7 with 12 bits of sub-millisecond time, so that ids sort in the order of the lines.
sub uuid {
    my ($seconds, $nanoseconds) = @_;
    my $random = '';
    if (open my $source, '<', '/dev/urandom') { binmode $source; sysread $source, $random, 8 }
    $random = pack 'NN', int rand 4294967296, int rand 4294967296 if length $random < 8;
    my $ms = $seconds * 1000 + int($nanoseconds / 1_000_000);
    my ($first, @rest) = unpack 'C8', $random;
    return sprintf '%08x-%04x-7%03x-%02x%02x-%02x%02x%02x%02x%02x%02x', $ms / 65536, $ms % 65536,
        ($nanoseconds % 1_000_000) * 4096 / 1_000_000, ($first & 0x3f) | 0x80, @rest;
}

sub stream_path {
    my $path = length $ENV{KW_CHAT_STREAM_PATH} ? $ENV{KW_CHAT_STREAM_PATH} : '~/.kw-chat/streams/lifecycle.jsonl';
    if ($path =~ /^~\//) { length $ENV{HOME} or die; $path = $ENV{HOME} . substr $path, 1 }
    $path =~ /\A(.*)\z/s;
    return $1;
}

# Race: writes again only if the file was rotated meanwhile. Readers deduplicate lines by id.
sub append {
    my ($line, $path) = @_;
    umask 0077;
    for (1 .. 3) {
        return if -e $path && !-f _;
        my $file;
        unless (open $file, '>>', $path) {
            for (my $slash = index $path, '/', 1; $slash > 0; $slash = index $path, '/', $slash + 1) {
                mkdir substr($path, 0, $slash), 0700;
            }
            open $file, '>>', $path or return;
        }
        binmode $file;
        my $done = syswrite $file, $line;
        # A full disk truncates the line. End it, so that the next line is not glued to it.
        syswrite $file, "\n" if $done && $done < length $line;
        my ($device, $inode) = stat $file;
        my ($there, $number) = stat $path;
        return if defined $number && $number == $inode && $there == $device;
    }
}

__END__
# Compiled only to wait for an answer: for every other event this would be a fifth of the cost.

# As in lifecycle-logger.c: sends the id of the line to the daemon of the home, waits for an answer, and prints it.
sub hold {
    my ($home, $id, $pid) = @_;
    my ($address) = small("$home/daemon.json") =~ m{"url":"http://([^"/]+)} or return;
    my ($token) = small("$home/token") =~ /^(\S+)/ or return;
    my ($port) = $address =~ /:([0-9]+)\z/ or return;
    require Socket;
    my ($soon) = grep { $_ && $_ <= 10_000 } ($ENV{SIGNALBOX_HOLD_WITHIN_MS} || '') =~ /^([0-9]{1,5})\z/;
    my $until = milliseconds() + ($soon || 100);
    $SIG{PIPE} = 'IGNORE';
    my $socket;
    for my $is_six ($address =~ /^\[/ ? 1 : $address =~ /^1/ ? 0 : (0, 1)) {
        socket $socket, $is_six ? Socket::PF_INET6() : Socket::PF_INET(), Socket::SOCK_STREAM(), 0 or next;
        last if connect $socket, $is_six
            ? Socket::pack_sockaddr_in6($port, Socket::inet_pton(Socket::AF_INET6(), '::1'))
            : Socket::pack_sockaddr_in($port, Socket::inet_aton('127.0.0.1'));
        undef $socket;
    }
    return unless $socket;
    my $body = qq({"lineId":"$id"});
    syswrite $socket, "POST /api/v1/lifecycle/hold HTTP/1.0\r\nHost: $address\r\nAuthorization: Bearer $token\r\n"
        . 'Content-Type: application/json' . "\r\nContent-Length: " . length($body) . "\r\n\r\n$body";
    my $answer = '';
    while (length $answer < 8 << 20) {
        my $left = $until - milliseconds();
        vec(my $wanted = '', fileno $socket, 1) = 1;
        if (!select $wanted, undef, undef, ($left < 0 ? 0 : $answer ne '' && $left > 1000 ? 1000 : $left) / 1000) {
            return if milliseconds() >= $until || $pid && !kill(0, $pid) && $! == 3;
            next;
        }
        sysread $socket, $answer, 65536, length $answer or last;
        $until = milliseconds() + 20_000;
    }
    print $1 if $answer =~ m{^HTTP/1\.\d 200.*?\r\n\r\n *(\{.*\n)\z}s;
}

sub milliseconds { my ($seconds, $nanoseconds) = now(); return $seconds * 1000 + $nanoseconds / 1_000_000 }

sub small {
    open my $file, '<', $_[0] or return '';
    sysread $file, my $text, 512;
    return $text;
}
