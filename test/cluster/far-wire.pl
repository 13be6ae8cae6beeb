# A wire between two network devices that it makes: each frame takes its time, and some are lost. Linux can do that by itself (netem),
# but many kernels are built without it. Node has no ioctl. It ends with its input.
use strict;
use warnings;
use Time::HiRes 'time';

my ($first, $second, $one_way_ms, $loss_percent) = @ARGV;
my @ends = (tap($first), tap($second));
my @under_way;
srand(16);
$| = 1;
print "ready\n";

while (1) {
  my $wait = @under_way ? $under_way[0][0] - time : undef;
  my $readable = '';
  vec($readable, fileno($_), 1) = 1 for @ends, *STDIN;
  my $found = select($readable, undef, undef, defined $wait && $wait < 0 ? 0 : $wait);
  exit if $found > 0 && vec($readable, fileno(STDIN), 1);
  for my $from ($found > 0 ? (0, 1) : ()) {
    next unless vec($readable, fileno($ends[$from]), 1) && defined sysread($ends[$from], my $frame, 65_536);
    push @under_way, [time + $one_way_ms / 1000, 1 - $from, $frame] if rand(100) >= $loss_percent;
  }
  # A device that is down takes nothing: what was under way is lost.
  while (@under_way && $under_way[0][0] <= time) {
    my (undef, $to, $frame) = @{shift @under_way};
    syswrite($ends[$to], $frame);
  }
}

sub tap {
  my ($name) = @_;
  my ($set_interface, $tap_without_header) = (0x400454ca, 0x1002);
  open(my $device, '+<', '/dev/net/tun') or die "/dev/net/tun: $!";
  my $request = pack('a16 s x14', $name, $tap_without_header);
  ioctl($device, $set_interface, $request) or die "$name: $!";
  return $device;
}
